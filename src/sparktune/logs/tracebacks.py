"""Python's tracebacks and other messages of several lines, told apart by process, as processes write at the same time.

vLLM writes its prefix before every line of a message, with the same stamp; what goes to stderr directly has none, or
only the name of the process. Sources: vLLM 0.8 to 0.33, NewLineFormatter and ``decorate_logs``; docs.python.org,
traceback.
"""

__all__ = ["Messages", "Part"]

import re
from dataclasses import dataclass
from enum import Enum

from sparktune.logs.kept import Seen
from sparktune.logs.levels import EXCEPTION, TRACEBACK
from sparktune.logs.line import Line

_LONGEST = 400  # lines of a traceback, those of others between them too
_ENDS = re.compile(r"[A-Za-z_][\w.]*(?:\([\w.]+\))?(?:: |$)", re.ASCII)
_FRAME = re.compile(r"[ |]*File \"")
_RAW_FRAME = re.compile(rb" *File \\*\"")
_GROUP = re.compile(r"[ |+-]+")


class Part(Enum):
    """What a line is to a message of several lines."""

    NONE = "stands for itself"
    INSIDE = "inside a traceback"
    END = "the exception that ends a traceback"
    MORE = "goes on with an error that was told"


@dataclass(slots=True)
class _Trace:
    place: str
    opened: int
    last: int
    indent: int
    header: Seen | None
    inside: bytes  # what its lines begin with, as bytes, b"" where that is not known
    frame: tuple[bytes, int] | None = None


@dataclass(slots=True)
class _Told:
    place: str
    number: int
    seen: Seen | None
    traced: bool


class Messages:
    """Sorts lines into messages.

    ``open`` are the tracebacks that have begun and not ended; ``frame`` and ``header`` tell of the one that ended with
    the last line.
    """

    def __init__(self) -> None:
        """Begin outside of any message."""
        self.open: dict[tuple[str, str], _Trace] = {}
        self._told: dict[tuple[str, str], _Told] = {}
        self.frame: tuple[bytes, int] | None = None
        self.header: Seen | None = None

    def passes(self, raw: bytes, number: int) -> bool:
        """Whether a line is inside a traceback, as far as that is seen without taking it apart."""
        for trace in self.open.values():
            if trace.inside and raw.startswith(trace.inside) and number - trace.opened <= _LONGEST and b"\r" not in raw:
                trace.last = number
                if _RAW_FRAME.match(raw, len(trace.inside)):
                    trace.frame = (raw, number)
                return True
        return False

    def sort(self, line: Line, raw: bytes) -> Part:
        """Return what a line is, of which ``raw`` are the bytes."""
        self.frame = self.header = None
        self._expire(line.number)
        key = (line.source, line.process)
        if TRACEBACK in line.text[:200]:
            self._begin(key, line, raw)
            return Part.INSIDE
        trace = self.open.get(key)
        if trace is not None and trace.place == line.place:
            return self._inside(key, trace, line, raw)
        told = self._told.get(key)
        if told is None or not line.place or told.place != line.place:
            return Part.NONE
        return Part.MORE if told.traced or line.text[:1].isspace() or not line.text else Part.NONE

    def tell(self, line: Line, seen: Seen | None) -> None:
        """Remember that a line is an error of its own, as more of the same message may follow."""
        self._told[line.source, line.process] = _Told(line.place, line.number, seen, traced=False)
        if len(self._told) > _LONGEST:
            del self._told[next(iter(self._told))]

    def _begin(self, key: tuple[str, str], line: Line, raw: bytes) -> None:
        told = self._told.get(key)
        header = None
        if told is not None and not told.traced:
            near = told.number == line.number - 1 or (line.place and told.place == line.place)
            header = told.seen if near else None
        indent = len(_indent(line.text)) if TRACEBACK in line.text else 0
        alone = line.text.startswith(TRACEBACK) and b"\r" not in raw
        inside = raw[: raw.find(TRACEBACK.encode())] + b" " if alone else b""
        self.open[key] = _Trace(line.place, line.number, line.number, indent, header, inside)

    def _inside(self, key: tuple[str, str], trace: _Trace, line: Line, raw: bytes) -> Part:
        indent = len(_indent(line.text))
        if not line.text.strip() or indent > trace.indent:
            trace.last = line.number
            if _FRAME.match(line.text):
                trace.frame = (raw, line.number)
            return Part.INSIDE
        text = line.text[indent:]
        follows = line.number == trace.last + 1 or bool(line.place)
        if EXCEPTION.match(text) or (follows and _ENDS.match(text)):
            del self.open[key]
            self.frame, self.header = trace.frame, trace.header
            self._told[key] = _Told(line.place, line.number, None, traced=True)
            return Part.END
        return Part.NONE

    def _expire(self, number: int) -> None:
        if self.open and any(number - trace.opened > _LONGEST for trace in self.open.values()):
            for key in [key for key, one in self.open.items() if number - one.opened > _LONGEST]:
                del self.open[key]


def _indent(text: str) -> str:
    found = _GROUP.match(text)
    return found[0] if found is not None else ""
