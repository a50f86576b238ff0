"""The parts of ``sparktune host``; loaded when it is called."""
