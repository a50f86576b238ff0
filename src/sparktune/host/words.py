"""Lists in words, for plans, checks and findings."""

__all__ = ["join"]

from collections.abc import Iterable

_MOST_NAMED = 6


def join(names: Iterable[str]) -> str:
    """Name a few things, and say how many more there are."""
    listed = list(names)
    more = len(listed) - _MOST_NAMED
    return ", ".join(listed[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
