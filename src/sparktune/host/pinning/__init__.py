"""Moving threads that poll: which may be moved, to which CPUs, by which rule, and whether it is so. Pure."""
