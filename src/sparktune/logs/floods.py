"""A message that is written again and again: counted without being taken apart each time.

A broken connection fills a log with one line and other numbers in it. Once a thousand lines that differ in nothing but
digits had one signature and nothing else to tell, its pattern alone is asked of each further one.
"""

__all__ = ["Floods"]

from dataclasses import dataclass

from sparktune.logs.kept import Seen
from sparktune.logs.line import LONGEST, Line
from sparktune.logs.stamps import Stamp

_ENOUGH = 1_000
_MOST_SHAPES = 500


@dataclass(slots=True)
class _Flood:
    seen: Seen
    lines: int = 0


class Floods:
    """Remembers shapes of lines with one signature each."""

    def __init__(self) -> None:
        """Begin without any."""
        self._of: dict[bytes, _Flood] = {}

    def counts(self, shape: bytes, raw: bytes, number: int, stamp: Stamp | None) -> bool:
        """Whether a line is one more of a flood, and counted; ``stamp`` is that of a line before it."""
        flood = self._of.get(shape)
        if flood is None or flood.lines < _ENOUGH or flood.seen.signature is None:
            return False
        if flood.seen.signature.pattern.search(raw.decode("utf-8", "replace")[:LONGEST]) is None:
            return False
        flood.seen.count += 1
        flood.seen.last_raw = (raw, number, stamp)
        return True

    def note(self, shape: bytes, raw: bytes, line: Line, seen: Seen | None) -> None:
        """Learn of a line; ``seen`` is what all of it comes to, None where there is more or less to it."""
        if seen is None or line.source or b"\r" in raw or raw.startswith(b"{"):
            self._of.pop(shape, None)
            return
        flood = self._of.get(shape)
        if flood is None or flood.seen is not seen:
            if len(self._of) >= _MOST_SHAPES:
                self._of.clear()
            self._of[shape] = flood = _Flood(seen)
        flood.lines += 1

    def end(self) -> None:
        """Begin again, as lines will be counted otherwise from now on."""
        self._of.clear()
