"""End the processes of a start, all of them and nothing else: first asked, then killed.

Which are ours: the started process itself (number and start time), what is in its session while it is there to vouch
for the session's number, and whatever has the mark in its environment. Each is signalled through a file descriptor of
the process (pidfd_open(2)), so that a number that changes hands in between hits nobody.
"""

__all__ = ["Mine", "end_all", "find_all", "signal_all"]

import asyncio
import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from sparktune.io.launching.proc import Kin, Seen, all_seen, boot_id, kin_of, look_at
from sparktune.io.launching.started import MARK
from sparktune.units import Seconds

_LOOK_S: Final[Seconds] = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Mine:
    """How the processes of a start are known. ``pid`` 0: only the mark is known; ``mark`` "": it does not count."""

    mark: str
    pid: int = 0
    start_ticks: int = 0
    boot: str = ""


def find_all(mine: Mine) -> tuple[Seen, ...]:
    """Return the living processes of a start."""
    if mine.boot and mine.boot != boot_id():
        return ()  # of another boot: whatever has these numbers now is somebody else's
    leader = look_at(mine.pid) if mine.pid else None
    known = leader is not None and leader.start_ticks == mine.start_ticks
    marked = f"{MARK}={mine.mark}" if mine.mark else ""
    return tuple(
        one
        for one in all_seen()
        if (known and mine.pid in {one.pid, one.session}) or (marked and marked in (one.environment or ()))
    )


async def end_all(mine: Mine, *, terminate_s: Seconds, kill_s: Seconds) -> tuple[tuple[Seen, ...], bool]:
    """End them; return those that did not end even so, and whether any had to be killed."""
    signal_all(find_all(mine), signal.SIGTERM)
    left = await _gone(mine, terminate_s)
    if not left:
        return (), False
    until = time.monotonic() + kill_s
    while left and time.monotonic() < until:
        signal_all(left, signal.SIGKILL)  # again and again: one that forks is caught with its children
        left = await _gone(mine, _LOOK_S)
    return left, True


def signal_all(processes: Iterable[Kin], number: signal.Signals) -> None:
    """Send a signal to each of these processes that is still the same one."""
    for one in processes:
        with suppress(OSError):  # it has ended meanwhile
            handle = os.pidfd_open(one.pid)
            try:
                again = kin_of(one.pid)
                if again is not None and again.start_ticks == one.start_ticks:
                    signal.pidfd_send_signal(handle, number)
            finally:
                os.close(handle)


async def _gone(mine: Mine, limit_s: Seconds) -> tuple[Seen, ...]:
    until = time.monotonic() + limit_s
    while (left := find_all(mine)) and time.monotonic() < until:  # noqa: ASYNC110 - nobody tells of their end
        await asyncio.sleep(_LOOK_S)
    return left
