"""Texts that people write for services: read with the place of every value, edited in place. Pure."""
