"""The parts of ``sparktune ab``; loaded when it is called."""
