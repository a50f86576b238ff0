"""Memory that a stopped server has given back, before the next one starts into what is left."""

__all__ = ["wait_given_back"]

import asyncio
import time
from typing import Final

from sparktune.io.launching.proc import available_bytes
from sparktune.units import Bytes, Seconds, format_bytes, format_duration

_LOOK_S: Final[Seconds] = 0.2
_STILL_S: Final[Seconds] = 10.0  # nothing has come back for so long: nothing will
_STEP_BYTES: Final[Bytes] = 64 << 20


async def wait_given_back(before: Bytes | None, slack_bytes: Bytes, limit_s: Seconds) -> str:
    """Wait until as much is available as before the start, but for the slack; return what is missing, "" when not."""
    now = available_bytes()
    if before is None or now is None:
        return "how much memory is available is not known here"
    began = moved = time.monotonic()
    best = now
    while now is not None and now < before - slack_bytes:
        if time.monotonic() - began > limit_s or time.monotonic() - moved > _STILL_S:
            missing, waited = format_bytes(before - now), format_duration(time.monotonic() - began)
            return f"{missing} less memory is available than before the server was started, {waited} after its end"
        await asyncio.sleep(_LOOK_S)
        now = available_bytes()
        if now is not None and now > best + _STEP_BYTES:
            best, moved = now, time.monotonic()
    return ""
