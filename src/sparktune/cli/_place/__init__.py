"""The parts of ``sparktune place``; loaded when it is called."""
