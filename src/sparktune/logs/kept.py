"""What of a log is kept, however long it is: facts by key, events by signature, errors that nobody knows."""

__all__ = ["Events", "Facts", "Seen"]

import re
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from sparktune.logs.lines import Line
from sparktune.model.log import LogFact, LogSignature

_FIRST_FACTS, _LAST_FACTS = 100, 400
_MOST_UNKNOWN = 300
_MOST_EVENTS = 600
_CHANGING = re.compile(r"0x[0-9a-fA-F]+|\d+")


class Facts:
    """Of each key the first 100 and the last 400."""

    def __init__(self) -> None:
        """Begin without any."""
        self._first: dict[str, list[tuple[LogFact, Line]]] = {}
        self._last: dict[str, deque[tuple[LogFact, Line]]] = {}
        self.more = 0

    def add(self, fact: LogFact, line: Line) -> None:
        """Keep a fact with the line that it is from."""
        first = self._first.setdefault(fact.key, [])
        if len(first) < _FIRST_FACTS:
            first.append((fact, line))
            return
        last = self._last.setdefault(fact.key, deque(maxlen=_LAST_FACTS))
        self.more += len(last) == _LAST_FACTS
        last.append((fact, line))

    def __iter__(self) -> Iterator[tuple[LogFact, Line]]:
        """Yield what is kept, in the order of the log."""
        kept = [one for facts in (*self._first.values(), *self._last.values()) for one in facts]
        return iter(sorted(kept, key=lambda one: one[1].number))


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

    def known(self, signature: LogSignature, line: Line, start: int) -> Seen | None:
        """Count a line with a signature; return its event if it is the first of it."""
        key = (line.source, start, signature.id)
        seen = self._known.get(key)
        if seen is not None:
            seen.count += 1
            seen.last = line
            return None
        if len(self._known) >= _MOST_EVENTS:
            self._drop()
        self._known[key] = Seen(first=line, last=line, source=line.source, start=start, signature=signature)
        return self._known[key]

    def unknown(self, line: Line, start: int) -> Seen | None:
        """Count an error; return its event if it is the first of it and is kept."""
        key = (line.source, start, _CHANGING.sub("#", line.text)[:300])
        seen = self._unknown.get(key)
        if seen is not None:
            seen.count += 1
            seen.last = line
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
