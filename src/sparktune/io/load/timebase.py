"""Wall-clock instants as monotonic ones, for one wave, whatever happens to the wall clock meanwhile."""

__all__ = ["Timebase"]

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.io.load.clock import ClockPair, Clocks, take_pair
from sparktune.units import NS_PER_S, Nanoseconds, Seconds

_TOLERATED_STEP_NS = 1_000_000


@dataclass(slots=True)
class _Epoch:
    """A span in which the clocks kept their distance. Stamps of reads before ``settled_ns`` may be older than it."""

    best: ClockPair
    last_ns: Nanoseconds
    settled_ns: Nanoseconds | None = None
    step_ns: Nanoseconds = 0  # from the epoch before


class Timebase:
    """Clock pairs of one wave; ``mark`` takes one more, from the thread that reads."""

    def __init__(self, clocks: Clocks) -> None:
        """Take the first pair."""
        self._clocks = clocks
        first = take_pair(clocks)
        self._epochs = [_Epoch(best=first, last_ns=first.at_ns, settled_ns=first.at_ns)]

    def mark(self) -> None:
        """Take a pair. A distance that differs by more than both readings are uncertain begins a new epoch."""
        pair = take_pair(self._clocks)
        epoch = self._epochs[-1]
        step = pair.offset_ns - epoch.best.offset_ns
        if abs(step) > (pair.width_ns + epoch.best.width_ns) // 2 + 1:
            self._epochs.append(_Epoch(best=pair, last_ns=pair.at_ns, step_ns=step))
            return
        epoch.last_ns = pair.at_ns
        epoch.settled_ns = epoch.settled_ns or pair.at_ns
        epoch.best = min(epoch.best, pair, key=lambda each: each.width_ns)

    @property
    def largest_step_s(self) -> Seconds:
        """The largest jump of the wall clock that was seen, either way; 0 when its readings agree."""
        return max(abs(epoch.step_ns) for epoch in self._epochs) / NS_PER_S

    def to_monotonic(
        self, wall_ns: Sequence[Nanoseconds | None], woke_ns: Sequence[Nanoseconds]
    ) -> tuple["array[int]", bool]:
        """Return the arrival of each read, and whether all of them come from their stamps.

        A read without a stamp, or so near to a step of more than 1 ms that its stamp could be from either side, gets
        the instant at which this process woke up for it.
        """
        if len(self._epochs) == 1:
            offset = self._epochs[0].best.offset_ns
            if None not in wall_ns:
                return array("q", [wall - offset for wall in wall_ns if wall is not None]), True
        arrivals = array("q")
        exact = True
        for wall, woke in zip(wall_ns, woke_ns, strict=True):
            known = None if wall is None else self._offset_at(woke)
            exact = exact and known is not None
            arrivals.append(woke if wall is None or known is None else wall - known)
        return arrivals, exact

    def _offset_at(self, woke_ns: Nanoseconds) -> Nanoseconds | None:
        epoch = self._epochs[0]
        for later in self._epochs[1:]:
            if woke_ns <= epoch.last_ns:
                break
            unsettled = later.settled_ns is None or woke_ns <= later.settled_ns
            epoch = later
            if unsettled:
                return None if abs(later.step_ns) > _TOLERATED_STEP_NS else later.best.offset_ns
        return epoch.best.offset_ns
