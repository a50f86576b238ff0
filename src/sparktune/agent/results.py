"""Results of reads, as they go over the wire."""

__all__ = ["HANGS", "NEEDS_ROOT", "Result", "absent", "explain_denied", "is_denied", "present", "unreadable", "why_not"]

import errno
import os
from collections.abc import Iterator
from typing import Any

Result = dict[str, Any]

NEEDS_ROOT = "needs root"
HANGS = "it does not answer"
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ESRCH)
_DENIED = (errno.EACCES, errno.EPERM)


def present(value: Any, why: str = "") -> Result:  # noqa: ANN401 - text, or what JSON has for a kind of read
    """Return a value that is there; ``why`` says why it is not all of it."""
    return {"state": "present", "value": value, "why": why} if why else {"state": "present", "value": value}


def absent() -> Result:
    """Return that the thing does not exist."""
    return {"state": "absent"}


def unreadable(why: str) -> Result:
    """Return that the thing was not read, and why."""
    return {"state": "unreadable", "why": why}


def why_not(error: OSError) -> Result:
    """Return what an error says about the thing: it does not exist, or why it cannot be read."""
    if error.errno in _GONE:
        return absent()
    if error.errno in _DENIED:
        return unreadable(NEEDS_ROOT)
    if error.errno == errno.ETIMEDOUT:
        return unreadable(HANGS)
    return unreadable(os.strerror(error.errno) if error.errno else str(error))


def is_denied(result: Result) -> bool:
    """Tell whether root would have got more."""
    return any(part.get("why") == NEEDS_ROOT for part in _parts(result))


def explain_denied(result: Result, why: str) -> None:
    """Say in a result what came of asking for root's view."""
    for part in _parts(result):
        if part.get("why") == NEEDS_ROOT:
            part["why"] = why


def _parts(result: Result) -> Iterator[Result]:
    yield result
    value = result.get("value")
    if isinstance(value, dict):
        yield from (part for part in value.values() if isinstance(part, dict))
