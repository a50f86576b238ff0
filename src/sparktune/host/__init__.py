"""Observing a machine: facts from what it says, findings about them. Pure."""
