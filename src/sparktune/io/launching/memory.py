"""Memory that a stopped server has given back, before the next one starts into what is left."""

__all__ = ["STILL_S", "Returning", "wait_given_back"]

import asyncio
import time
from typing import Final

from sparktune.io.launching.proc import available_bytes
from sparktune.units import Bytes, Seconds, format_bytes, format_duration

_LOOK_S: Final[Seconds] = 0.2
STILL_S: Final[Seconds] = 10.0
"""Nothing has come back for so long: nothing will."""

_STEP_BYTES: Final[Bytes] = 64 << 20


class Returning:
    """Memory that rises again; ``before`` is what was available before the start, None when nobody looked then."""

    def __init__(self, before: Bytes | None, slack_bytes: Bytes, began_s: Seconds) -> None:
        """Wait for the first look."""
        self._wanted = None if before is None else before - slack_bytes
        self._before, self._best, self.available = before, -1, -1
        self.began_s = self._moved_s = began_s

    def saw(self, available: Bytes, at_s: Seconds) -> None:
        """Take one look."""
        if available > self._best + _STEP_BYTES or self._best < 0:
            self._best, self._moved_s = available, at_s
        self.available = available

    @property
    def known(self) -> bool:
        """Whether it is known how much there was."""
        return self._before is not None

    @property
    def back(self) -> bool:
        """Whether as much is available as before, but for the slack; never when that is not known."""
        return self._wanted is not None and self.available >= self._wanted

    def still(self, now_s: Seconds, still_s: Seconds = STILL_S) -> bool:
        """Tell whether nothing has come back for so long."""
        return now_s - self._moved_s > still_s

    def missing(self, now_s: Seconds) -> str:
        """Say how much less there is, and since when."""
        less, waited = format_bytes((self._before or 0) - self.available), format_duration(now_s - self.began_s)
        return f"{less} less memory is available than before the server was started, {waited} after its end"


async def wait_given_back(before: Bytes | None, slack_bytes: Bytes, limit_s: Seconds) -> str:
    """Wait until as much is available as before the start, but for the slack; return what is missing, "" when not."""
    now = available_bytes()
    if before is None or now is None:
        return "how much memory is available is not known here"
    returning = Returning(before, slack_bytes, time.monotonic())
    while now is not None:
        at_s = time.monotonic()
        returning.saw(now, at_s)
        if returning.back:
            return ""
        if at_s - returning.began_s > limit_s or returning.still(at_s):
            return returning.missing(at_s)
        await asyncio.sleep(_LOOK_S)
        now = available_bytes()
    return ""
