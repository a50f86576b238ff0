"""What several changes need: the split of the cores, the diff of a file, counts in words."""

__all__ = ["cores_unknown", "counted", "diff_of", "join"]

import difflib
from collections.abc import Iterable

from sparktune.model.host_plan import Refusal

_MOST_NAMED = 6


def cores_unknown(change: str, why: str, otherwise: str) -> Refusal:
    """Refuse to place anything where fast and slow cores cannot be told apart; ``otherwise`` is the way around it."""
    return Refusal(change=change, reason=f"there is nowhere to move it to: {why}", hint=otherwise)


def counted(number: int, what: str) -> str:
    """Return ``1 vector`` or ``3 vectors``."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def diff_of(path: str, before: str | None, after: str | None) -> str:
    """Return a unified diff of a file; None stands for a file that is not there."""
    lines = difflib.unified_diff(
        [] if before is None else before.splitlines(),
        [] if after is None else after.splitlines(),
        "/dev/null" if before is None else path,
        "/dev/null" if after is None else path,
        lineterm="",
    )
    return "\n".join(lines)


def join(names: Iterable[str]) -> str:
    """Name a few things, and say how many more there are."""
    listed = list(names)
    more = len(listed) - _MOST_NAMED
    return ", ".join(listed[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
