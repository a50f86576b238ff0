"""What of a log is shown, made of what was kept while it was read: with its time, without secrets."""

__all__ = ["Finished", "one_line", "plain", "safe", "version_of"]

from collections.abc import Sequence

from sparktune.logs.clock import LogClock
from sparktune.logs.kept import Seen
from sparktune.logs.line import Line
from sparktune.logs.lines import read_line, states_of
from sparktune.model.log import LogEvent, LogFact, LogLine
from sparktune.model.setting import Value
from sparktune.redact import redact_text
from sparktune.units import Seconds

_LONGEST_KEPT = 1000


class Finished:
    """Makes of lines that are kept what is shown: with their time, without secrets; each once."""

    def __init__(self, clock: LogClock) -> None:
        """Take what knows the times of lines."""
        self._clock = clock
        self._made: dict[int, LogLine] = {}

    def line(self, line: Line) -> LogLine:
        """Return a line as it is kept."""
        made = self._made.get(id(line))
        if made is None:
            made = self._made[id(line)] = plain(
                line, redact_text(line.text)[:_LONGEST_KEPT], self._clock.time_of(line.stamp)
            )
        return made

    def event(self, seen: Seen, later_starts: int) -> LogEvent:
        """Return an event; starts are counted so that the last one of every container has the highest number."""
        return LogEvent(
            first=self.line(seen.first),
            last=self.line(_last(seen)),
            count=seen.count,
            signature=seen.signature,
            told=redact_text(seen.told),
            around=tuple(self.line(line) for line in seen.around),
            start=seen.start + later_starts,
        )


def plain(line: Line, text: str, time_s: Seconds | None = None) -> LogLine:
    """Return a line as others see it."""
    return LogLine(text=text, number=line.number, time_s=time_s, level=line.level, process=line.process)


def one_line(raw: bytes, number: int, beside: Line) -> Line:
    """Return the neighbour of a line, as one line, with its time where it has none of its own."""
    states = states_of(raw)
    line = read_line(states[-1] if states else b"", number)
    line.stamp = line.stamp or beside.stamp
    return line


def _last(seen: Seen) -> Line:
    if seen.last_raw is None:
        return seen.last
    raw, number, stamp = seen.last_raw
    seen.last, seen.last_raw = read_line(raw, number), None
    seen.last.stamp = seen.last.stamp or stamp
    return seen.last


def safe(value: Value) -> Value:
    """Return a value without secrets."""
    return redact_text(value) if isinstance(value, str) else value


def version_of(facts: Sequence[LogFact]) -> str:
    """Return the version that facts tell last, "" for none."""
    found = next((fact.value for fact in reversed(facts) if fact.key == "version"), None)
    return found if isinstance(found, str) else ""
