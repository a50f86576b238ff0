"""Carry out what a launcher says of an arm: start, switch, apply, read back live, and bring everything back."""
