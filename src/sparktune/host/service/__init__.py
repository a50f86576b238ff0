"""A service on a node, whatever started it: its containers or unit, its processes, its state, what it leaves behind."""
