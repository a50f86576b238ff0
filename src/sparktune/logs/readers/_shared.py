"""How readers are made: patterns whose groups are named after facts."""

__all__ = ["SIZES", "fact", "pattern_reader", "value_of"]

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from sparktune.logs.facts import FACTS
from sparktune.model.log import LogFact, LogLine, LogReader
from sparktune.model.setting import Value

SIZES: Final = r"\d[\d,]{0,17}"
"""A whole number, perhaps with separators of thousands, for patterns."""

_INT = re.compile(r"-?\d[\d,]*")
_UNKNOWN = frozenset({"nan", "inf", "-inf", "-nan"})

Extra = Callable[[LogLine], Iterable[LogFact]]


def fact(key: str, value: Value, line: LogLine) -> LogFact:
    """Return a fact with the unit of its key."""
    return LogFact(key=key, value=value, line=line, unit=FACTS[key].unit)


def value_of(key: str, written: str) -> Value:
    """Return what was written as the value of a key: a number unless it is a text; None for nan, which is unknown."""
    if FACTS[key].text:
        return written.strip()
    bare = written.strip().rstrip("%").strip()
    if bare.lower() in _UNKNOWN:
        return None
    if _INT.fullmatch(bare):
        return int(bare.replace(",", ""))
    try:
        return float(bare.replace(",", ""))
    except ValueError:
        return None


def pattern_reader(
    engine: str, words: tuple[str, ...], patterns: Iterable[str], extra: Iterable[Extra] = ()
) -> LogReader:
    """Make a reader. Each group of a pattern is named after the fact that it is; ``extra`` read what needs more."""
    compiled = tuple(re.compile(one, re.ASCII) for one in patterns)
    more = tuple(extra)

    def read(line: LogLine) -> Iterator[LogFact]:
        for pattern in compiled:
            found = pattern.search(line.text)
            if found is not None:
                named = ((key, text) for key, text in found.groupdict().items() if text is not None)
                yield from (fact(key, value_of(key, text), line) for key, text in named)
        for one in more:
            yield from one(line)

    return LogReader(engine=engine, words=words, read=read)
