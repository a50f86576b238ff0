"""The parts of ``sparktune sweep``; loaded when it is called."""
