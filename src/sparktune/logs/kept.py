"""What of a log is kept, however long it is: facts by key, events by signature, errors that nobody knows."""

__all__ = ["Events", "Facts", "PutOff", "Seen"]

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sparktune.logs.line import Line
from sparktune.logs.stamps import Stamp
from sparktune.logs.wanted import Shown
from sparktune.model.log import LogFact, LogSignature

_FIRST_FACTS, _LAST_FACTS = 100, 400
_MOST_UNKNOWN = 300
_MOST_EVENTS = 600
_CHANGING = re.compile(r"0x[0-9a-fA-F]+|\d+")


@dataclass(slots=True)
class _OneFact:
    first: list[tuple[LogFact, Line]] = field(default_factory=list)
    last: deque[tuple[LogFact, Line]] = field(default_factory=lambda: deque(maxlen=_LAST_FACTS))
    more: int = 0


class Facts:
    """Of each key of each container the first 100 and the last 400."""

    def __init__(self) -> None:
        """Begin without any."""
        self._of: dict[tuple[str, str], _OneFact] = {}

    def add(self, fact: LogFact, line: Line) -> None:
        """Keep a fact with the line that it is from."""
        kept = self._of.get((line.source, fact.key))
        if kept is None:
            kept = self._of[line.source, fact.key] = _OneFact()
        if len(kept.first) < _FIRST_FACTS:
            kept.first.append((fact, line))
        else:
            kept.more += len(kept.last) == _LAST_FACTS
            kept.last.append((fact, line))

    def forget(self, source: str) -> None:
        """Forget what a container told, as it starts again."""
        self._of = {key: kept for key, kept in self._of.items() if key[0] != source}

    def with_late(self, late: Iterable[tuple[LogFact, Line]]) -> tuple[list[tuple[LogFact, Line]], int]:
        """Return what is kept, in the order of the log, and how many more there are; ``late`` come from ``PutOff``."""
        found = {key: [*kept.first, *kept.last] for key, kept in self._of.items()}
        more = sum(kept.more for kept in self._of.values())
        for fact, line in late:
            found.setdefault((line.source, fact.key), []).append((fact, line))
        kept: list[tuple[LogFact, Line]] = []
        for facts in found.values():
            facts.sort(key=lambda one: one[1].number)
            more += max(0, len(facts) - _FIRST_FACTS - _LAST_FACTS)
            kept += [*facts[:_FIRST_FACTS], *facts[_FIRST_FACTS:][-_LAST_FACTS:]]
        return sorted(kept, key=lambda one: one[1].number), more


@dataclass(slots=True)
class _Late:
    seen: int = 0
    lines: deque[tuple[int, bytes, Stamp | None, Shown]] = field(default_factory=lambda: deque(maxlen=_LAST_FACTS))


class PutOff:
    """Lines with nothing but facts, of which there are so many that only the last ones will count.

    Servers write how fast they are every few seconds, for weeks. Such lines are not read before the log has ended.
    """

    def __init__(self) -> None:
        """Begin without any."""
        self._of: dict[Shown, _Late] = {}

    def takes(self, shown: Shown, number: int, raw: bytes, stamp: Stamp | None) -> bool:
        """Whether a line is put off; ``stamp`` is that of a line before it."""
        late = self._of.get(shown)
        if late is None:
            late = self._of[shown] = _Late()
        late.seen += 1
        if late.seen <= _FIRST_FACTS + _LAST_FACTS:
            return False
        late.lines.append((number, raw, stamp, shown))
        return True

    def lines(self) -> list[tuple[int, bytes, Stamp | None, Shown]]:
        """Return what was put off and is kept, in the order of the log."""
        return sorted((one for late in self._of.values() for one in late.lines), key=lambda one: one[0])

    @property
    def more(self) -> int:
        """How many lines are not kept."""
        return sum(max(0, late.seen - _FIRST_FACTS - 2 * _LAST_FACTS) for late in self._of.values())


@dataclass(slots=True)
class Seen:
    """An event while a log is read; ``around`` may still lack the line after."""

    first: Line
    last: Line
    source: str
    start: int
    signature: LogSignature | None = None
    told: str = ""
    count: int = 1
    around: list[Line] = field(default_factory=list)
    last_raw: tuple[bytes, int, Stamp | None] | None = None  # a later one that was not taken apart

    def add(self, line: Line) -> None:
        """Count one more line."""
        self.count += 1
        self.last, self.last_raw = line, None


class Events:
    """Events of all starts: one for each signature and start, and at most 300 errors that nobody knows.

    Of a log with very many starts, events of the first start and of the last ones stay.
    """

    def __init__(self) -> None:
        """Begin without any."""
        self._known: dict[tuple[str, int, str], Seen] = {}
        self._unknown: dict[tuple[str, int, str], Seen] = {}
        self._more = Counter[tuple[str, int, str]]()
        self._dropped = 0

    @property
    def more(self) -> int:
        """How many events are not kept; where they are very many, at least so many."""
        return self._dropped + len(self._more)

    def known(self, signature: LogSignature, line: Line, start: int) -> Seen:
        """Count a line with a signature; return its event."""
        key = (line.source, start, signature.id)
        seen = self._known.get(key)
        if seen is not None:
            seen.add(line)
            return seen
        if len(self._known) >= _MOST_EVENTS:
            self._drop()
        self._known[key] = Seen(first=line, last=line, source=line.source, start=start, signature=signature)
        return self._known[key]

    def unknown(self, line: Line, start: int) -> Seen | None:
        """Count an error; return its event if it is the first of it and is kept."""
        key = (line.source, start, _CHANGING.sub("#", line.text)[:300])
        seen = self._unknown.get(key)
        if seen is not None:
            seen.add(line)
            return None
        if len(self._unknown) >= _MOST_UNKNOWN:
            if key in self._more or len(self._more) < _MOST_UNKNOWN:
                self._more[key] += 1
            else:
                self._dropped += 1
            return None
        self._unknown[key] = Seen(first=line, last=line, source=line.source, start=start)
        return self._unknown[key]

    def forget(self, seen: Seen) -> None:
        """Take back the error that an event was made of, as it says nothing of its own."""
        if seen.count == 1:
            self._unknown = {key: one for key, one in self._unknown.items() if one is not seen}

    def __iter__(self) -> Iterator[Seen]:
        """Yield what is kept, in the order of the log."""
        return iter(sorted((*self._known.values(), *self._unknown.values()), key=lambda one: one.first.number))

    def _drop(self) -> None:
        """Forget one event of the earliest start but the first."""
        key = next((key for key in self._known if key[1] > 1), None) or next(iter(self._known))
        del self._known[key]
        self._dropped += 1
