"""What several changes need: the split of the cores, the diff of a file, counts in words."""

__all__ = ["cores_unknown", "diff_of"]

import difflib

from sparktune.model.host_plan import Refusal


def cores_unknown(change: str, why: str, otherwise: str) -> Refusal:
    """Refuse to place anything where fast and slow cores cannot be told apart; ``otherwise`` is the way around it."""
    return Refusal(change=change, reason=f"there is nowhere to move it to: {why}", hint=otherwise)


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
