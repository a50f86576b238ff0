"""Names of runs: short enough to type, sorted by time, readable as a date."""

__all__ = ["new_run_id"]

from datetime import UTC, datetime

from sparktune.units import Seconds

_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u: nothing to misread


def new_run_id(now_wall_s: Seconds, entropy: bytes) -> str:
    """Return ``YYMMDD-HHMMSS-xxx`` in UTC; three letters of ``entropy`` (two bytes or more) part runs of one second."""
    stamp = datetime.fromtimestamp(now_wall_s, UTC).strftime("%y%m%d-%H%M%S")
    number = int.from_bytes(entropy[:2], "big")
    tail = "".join(_LETTERS[number >> shift & 31] for shift in (10, 5, 0))
    return f"{stamp}-{tail}"
