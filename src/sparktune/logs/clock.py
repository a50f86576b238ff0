"""The time of each line of one log: its own stamp, or that of the line before it which has one."""

__all__ = ["LogClock"]

import re
from collections.abc import Iterable, Sequence

from sparktune.logs.line import Line
from sparktune.logs.lines import read_line, states_of
from sparktune.logs.stamps import Stamp, offset_between, resolve
from sparktune.units import Seconds

_CAN_HAVE = re.compile(rb"\d\d:\d\d:\d\d")
_WITHIN = 300  # characters
_FIRST_LINES = 2000


class LogClock:
    """Learns year and zone from lines that tell them. ``reference_s`` stands in for a year that none tells."""

    def __init__(self, reference_s: Seconds | None) -> None:
        """Begin without knowing anything else."""
        self._reference_s = reference_s
        self._dated_s: Seconds | None = None
        self._offset_s: Seconds | None = None
        self._looked = 0
        self.first: Stamp | None = None
        self._last: tuple[int, Stamp | None] = (0, None)  # up to which line, and the last stamp there

    def look_for_first(self, block: Sequence[bytes]) -> None:
        """Look for the first stamp of the log in its next lines."""
        for raw in block[: max(0, _FIRST_LINES - self._looked)]:
            self._looked += 1
            line = _stamped(raw)
            if line is not None and line.stamp is not None:
                self.first = line.stamp
                self._learn(line.stamp, line.written)
                return

    def note(self, line: Line, earlier: Iterable[bytes]) -> None:
        """Learn from a line; give it the time of an earlier one if it has none, the nearest coming first."""
        if line.stamp is None:
            line.stamp = self._inherited(line.number, earlier)
        elif self._offset_s is None or self._dated_s is None:
            self._learn(line.stamp, line.written)
        self._last = (line.number, line.stamp)

    @property
    def known(self) -> Stamp | None:
        """The stamp of the last line that was looked at."""
        return self._last[1]

    def last(self, number: int, earlier: Iterable[bytes]) -> Stamp | None:
        """Return the last stamp before a line."""
        return self._inherited(number, earlier)

    def time_of(self, stamp: Stamp | None) -> Seconds | None:
        """Return seconds since 1970, None where that cannot be known."""
        if stamp is None:
            return None
        reference_s = self._reference_s if self._dated_s is None else self._dated_s
        return resolve(stamp, reference_s, self._offset_s or 0.0)

    def _inherited(self, number: int, earlier: Iterable[bytes]) -> Stamp | None:
        known_to, known = self._last
        for back, raw in enumerate(earlier, start=1):
            if number - back <= known_to:
                break
            line = _stamped(raw)
            if line is not None and line.stamp is not None:
                return line.stamp
        return known

    def _learn(self, stamp: Stamp, written: Stamp | None) -> None:
        if stamp.year is None:
            return
        time_s = resolve(stamp, None)
        if self._dated_s is None:
            self._dated_s = time_s
        if self._offset_s is None and stamp.zone_s is not None and written is not None and time_s is not None:
            self._offset_s = offset_between(time_s, written)


def _stamped(raw: bytes) -> Line | None:
    """Return a line if it can have a stamp."""
    if _CAN_HAVE.search(raw, 0, _WITHIN) is None:
        return None
    states = states_of(raw)
    return read_line(states[-1], 0) if states else None
