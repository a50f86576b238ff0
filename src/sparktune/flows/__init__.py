"""One file per verb: the order in which pure parts and the world meet."""
