"""What ``ab`` does, from its plan to its verdict."""
