"""What an engine's log says: lines with node and time, facts, events of a known meaning, and the first error."""

__all__ = [
    "FirstError",
    "LogEvent",
    "LogFact",
    "LogLine",
    "LogReader",
    "LogReport",
    "LogRole",
    "LogRule",
    "LogSignature",
    "LogView",
    "ReadLog",
]

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from sparktune.model.finding import Finding, Severity
from sparktune.model.setting import Setting, Value
from sparktune.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """One line that is kept.

    ``text`` is its message: without escape sequences, without what docker, journald and the engine write in front,
    secrets removed. ``number`` counts from 1 in its file. ``time_s`` is the wall clock of the node that wrote it, in
    seconds since 1970, None where the line and its neighbours tell none; ``level`` is "error", "warning", "info",
    "debug" or "" (untold); ``process`` is who the engine says that it is (``EngineCore_DP0``, ``Worker_TP1``), or "".
    """

    text: str
    number: int
    time_s: Seconds | None = None
    level: str = ""
    process: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFact:
    """One thing that a log tells: ``key`` is a stable word (``kv_pool_tokens``), ``unit`` "" where it has none."""

    key: str
    value: Value
    line: LogLine
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogReader:
    """How facts are read; the constant ``READER`` of one file in ``logs/readers``.

    ``engine`` is the id of the engine, "" for lines that any may have (NCCL's). ``words``: a line without one of them
    has no fact for this reader, and is not shown to it. ``read`` is pure, and raises nothing.
    """

    engine: str
    words: tuple[str, ...]
    read: Callable[[LogLine], Iterable[LogFact]]


class LogRole(Enum):
    """What an event is to a failure.

    ROOT can be a first cause. SECONDARY follows from a failure elsewhere, whatever it says of itself. NOTE is worth
    knowing and ends nothing. BENIGN is noise.
    """

    ROOT = "root"
    SECONDARY = "secondary"
    NOTE = "note"
    BENIGN = "benign"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSignature:
    """A message whose meaning is known; the constant ``SIGNATURE`` of one file in ``logs/signatures``.

    ``id`` is a stable word (``kv-memory-short``). ``words``: a line without one of them is not looked at; ``pattern``
    is then searched in its message. ``cause`` and ``fix`` are for people, "" where BENIGN. ``explain`` turns what the
    pattern found into a sentence with the numbers of this very line, "" for none; it raises nothing. ``source``: where
    the meaning is known from, with the version. ``engines`` are those that it is of, () for any.
    """

    id: str
    title: str
    role: LogRole
    severity: Severity
    words: tuple[str, ...]
    pattern: re.Pattern[str]
    source: str
    cause: str = ""
    fix: str = ""
    engines: tuple[str, ...] = ()
    explain: Callable[[re.Match[str]], str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEvent:
    """All lines of one log with one signature: the first, the last, and how many.

    ``signature`` is None for lines of level error, or tracebacks, whose meaning is not known; each is its own event
    then, and ``around`` are the line before, itself and the line after (of a traceback: its last frame, the exception
    and the line after). ``told`` is what the signature explains. ``start``: which of the starts of the log it is of,
    counting from 1; events of different starts are different ones.
    """

    first: LogLine
    last: LogLine
    count: int
    signature: LogSignature | None = None
    told: str = ""
    around: tuple[LogLine, ...] = ()
    start: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLog:
    """One log: ``node`` "" where nobody says whose it is; ``file`` as it is named to people.

    ``engine`` and ``version`` "" where not told. ``facts`` in order; of a log with several starts, those of the last
    one; ``starts`` is how many it has. ``asked`` and ``resolved`` are the settings that it echoes and runs with.
    ``lines`` is how many lines were read. ``unreadable`` says why not all of it was, "" when it was. ``more_events``
    and ``more_facts`` are how many more there are than the ones that are kept.
    """

    file: str
    node: str = ""
    engine: str = ""
    version: str = ""
    facts: tuple[LogFact, ...] = ()
    events: tuple[LogEvent, ...] = ()
    asked: tuple[Setting, ...] = ()
    resolved: tuple[Setting, ...] = ()
    starts: int = 1
    lines: int = 0
    first_s: Seconds | None = None
    last_s: Seconds | None = None
    unreadable: str = ""
    more_events: int = 0
    more_facts: int = 0

    def fact(self, key: str) -> LogFact | None:
        """Return the last fact of a key, None where the log has none."""
        return next((fact for fact in reversed(self.facts) if fact.key == key), None)

    def all_of(self, key: str) -> tuple[LogFact, ...]:
        """Return every fact of a key, in order."""
        return tuple(fact for fact in self.facts if fact.key == key)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogView:
    """All logs that were given. ``ahead_s`` is by how much each node's clock is ahead of the first one's, if known."""

    logs: tuple[ReadLog, ...]
    ahead_s: Mapping[str, Seconds] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRule:
    """A judgement on what logs tell together; the constant ``RULE`` of one file in ``logs/rules``.

    ``run`` is pure, raises nothing, never guesses. ``why`` says what it costs, ``source`` where that is known from.
    """

    id: str
    title: str
    why: str
    source: str
    run: Callable[[LogView], tuple[Finding, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstError:
    """What failed first in time. ``sure`` is False where ``why`` says what the order rests on or lacks."""

    log: ReadLog
    event: LogEvent
    sure: bool
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogReport:
    """What ``logs`` shows: ``first`` is None where nothing failed; ``later`` is every other failure, in time.

    ``trend`` says what starts before the last one failed with.
    """

    view: LogView
    first: FirstError | None
    later: tuple[tuple[ReadLog, LogEvent], ...] = ()
    findings: tuple[Finding, ...] = ()
    trend: tuple[str, ...] = ()
