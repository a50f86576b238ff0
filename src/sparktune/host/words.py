"""Counts and lists in words, for plans and checks."""

__all__ = ["counted", "join"]

from collections.abc import Iterable

_MOST_NAMED = 6


def counted(number: int, what: str) -> str:
    """Return ``1 vector`` or ``3 vectors``."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def join(names: Iterable[str]) -> str:
    """Name a few things, and say how many more there are."""
    listed = list(names)
    more = len(listed) - _MOST_NAMED
    return ", ".join(listed[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
