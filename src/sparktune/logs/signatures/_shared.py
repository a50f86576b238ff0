"""What several signatures need."""

__all__ = ["exit_told"]

import signal


def exit_told(code: str | None) -> str:
    """Say what an exit code proves, "" for none; below 0 and above 128 it is a signal (signal(7), subprocess)."""
    if not code:
        return ""
    number = int(code)
    killed_by = -number if number < 0 else number - 128
    if killed_by == signal.SIGKILL:
        return "It ended by SIGKILL: somebody killed it, it did not fail by itself."
    names = {int(one): one.name for one in signal.Signals}
    return f"It ended by {names[killed_by]}." if killed_by in names else f"It ended with exit code {number}."
