"""The two clocks of this host, and how to read both at one instant.

Kernel receive stamps are CLOCK_REALTIME; everything else here is CLOCK_MONOTONIC. Linux slews both alike (the real-time
clock is the monotonic one plus an offset, kernel/time/timekeeping.c), so their distance stays the same until somebody
sets the wall clock: a change of the distance is a step, and only its reading is uncertain.
"""

__all__ = ["SYSTEM_CLOCKS", "ClockPair", "Clocks", "take_pair"]

import time
from collections.abc import Callable
from dataclasses import dataclass

from sparktune.units import Nanoseconds

_TRIES = 5
_GOOD_WIDTH_NS = 2_000
_MAX_TRIES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """How to read the clocks, in nanoseconds; tests put in their own."""

    monotonic_ns: Callable[[], Nanoseconds] = time.monotonic_ns
    wall_ns: Callable[[], Nanoseconds] = time.time_ns


SYSTEM_CLOCKS = Clocks()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockPair:
    """``offset_ns`` is wall minus monotonic at ``at_ns`` (monotonic), known to within half of ``width_ns``."""

    at_ns: Nanoseconds
    offset_ns: Nanoseconds
    width_ns: Nanoseconds


def take_pair(clocks: Clocks) -> ClockPair:
    """Read wall between two monotonic readings and keep the closest of a few tries.

    A try that was interrupted by the scheduler is wide; more tries follow while none was good.
    """
    best = _read(clocks)
    for count in range(2, _MAX_TRIES + 1):
        if count > _TRIES and best.width_ns <= _GOOD_WIDTH_NS:
            break
        best = min(best, _read(clocks), key=lambda pair: pair.width_ns)
    return best


def _read(clocks: Clocks) -> ClockPair:
    before = clocks.monotonic_ns()
    wall = clocks.wall_ns()
    after = clocks.monotonic_ns()
    middle = (before + after) // 2
    return ClockPair(at_ns=middle, offset_ns=wall - middle, width_ns=after - before)
