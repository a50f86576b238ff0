"""Parse a scrape of a metrics route.

The work is done beside the engine files, which read a metric to recognise a server; this is its place for measuring.
"""

__all__ = ["parse_exposition"]

from sparktune.engines._openai import parse_exposition
