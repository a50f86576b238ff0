"""Deciding between two settings: the design of blocks, the effect with its interval, and the verdict. Pure."""
