"""A log read once, from bytes in pieces of any size, in bounded memory.

Most lines tell nothing, and are passed over without being decoded (``words``). The others are taken apart (``lines``)
and shown to those who want one of their words: readers of facts, signatures, the reader of echoed settings, and the
search for errors that nobody knows. An engine that starts again in the same log begins its facts anew.
"""

__all__ = ["LogScan"]

from collections.abc import Iterator
from dataclasses import replace

from sparktune.deploy.settings.echoed import ECHO_WORDS, EchoReader
from sparktune.logs.clock import LogClock
from sparktune.logs.finish import Finished, one_line, plain, safe, version_of
from sparktune.logs.floods import Floods
from sparktune.logs.kept import Events, Facts, PutOff, Seen
from sparktune.logs.levels import ERROR_WORDS
from sparktune.logs.line import Line
from sparktune.logs.lines import clean, read_lines
from sparktune.logs.raw_lines import LongLines
from sparktune.logs.readers import all_readers
from sparktune.logs.signatures import all_signatures
from sparktune.logs.starts import START_WORDS, Starts
from sparktune.logs.tracebacks import Messages, Part
from sparktune.logs.wanted import Shown, Wanted
from sparktune.logs.words import shapes_of
from sparktune.model.log import LogFact, LogSignature, ReadLog
from sparktune.units import Seconds

_PIECE = 1 << 20
_LOOK_BACK = 64


class LogScan:
    """Reads one log.

    ``file`` is what people call it, ``node`` whose it is, "" where nobody says. ``reference_s`` is a time of day near
    which the log was written, such as when the file was last changed: stamps without year are the closest to it, unless
    lines of the log tell their year. Without either they tell no time.
    """

    def __init__(self, file: str, node: str = "", *, reference_s: Seconds | None = None) -> None:
        """Begin at the start of the log."""
        self._file, self._node = file, node
        self._raw = LongLines()
        self._echo = EchoReader(file, node=node or None)
        self._wanted = Wanted(all_readers(), all_signatures(), echo=ECHO_WORDS, error=ERROR_WORDS, start=START_WORDS)
        self._facts = Facts()
        self._since: dict[str, int] = {}  # where the last start of a container begins
        self._late = PutOff()
        self._events = Events()
        self._floods = Floods()
        self._messages = Messages()
        self._starts = Starts()
        self._clock = LogClock(reference_s)
        self._lines = 0
        self._before: list[bytes] = []  # the last lines of the blocks before
        self._block: list[bytes] = []
        self._awaiting: list[Seen] = []
        self._engine = ""
        self._ended: ReadLog | None = None

    def feed(self, data: bytes) -> None:
        """Read on; where the bytes are cut makes no difference. Not after ``result``."""
        for at in range(0, len(data), _PIECE):
            whole = self._raw.feed(data[at : at + _PIECE])
            if whole:
                self._read(whole)

    def result(self) -> ReadLog:
        """Return what the log says; it ends here."""
        if self._ended is None:
            rest = self._raw.rest()
            if rest:
                self._read(rest)
            self._ended = self._end()
        return self._ended

    def _read(self, whole: bytes) -> None:
        cleaned = clean(whole)[:-1]
        self._block, shapes = cleaned.split(b"\n"), shapes_of(cleaned)
        self._fill_awaiting()
        if self._clock.first is None:
            self._clock.look_for_first(self._block)
        silent, of_shape, opened = self._wanted.silent, self._wanted.of_shape, self._messages.open
        for at, shape in enumerate(shapes):
            if opened and self._messages.passes(self._block[at], self._lines + at + 1):
                continue
            parts = shape.split()
            if silent(parts) and not opened:
                continue
            shown = of_shape(shape, parts)
            if opened or (shown is not None and not self._put_off(shown, at, shape)):
                for line in read_lines(self._block[at], self._lines + at + 1):
                    self._look(line, at, shown, shape)
        self._lines += len(self._block)
        self._before = [*self._before, *self._block][-_LOOK_BACK:]

    def _put_off(self, shown: Shown, at: int, shape: bytes) -> bool:
        """Whether a line is one of so many that it need not be taken apart now."""
        number, raw, stamp = self._lines + at + 1, self._block[at], self._clock.known
        if shown.only_facts:
            return self._late.takes(shown, number, raw, stamp)
        return shown.only_signatures and self._floods.counts(shape, raw, number, stamp)

    def _look(self, line: Line, at: int, shown: Shown | None, shape: bytes) -> None:
        if shown is not None and shown.starts and self._starts.begins(line):
            self._facts.forget(line.source)
            self._floods.end()
            self._since[line.source] = line.number
        self._clock.note(line, self._earlier(at))
        part = self._messages.sort(line, self._block[at])
        if part is Part.INSIDE:
            return
        known = [] if shown is None else self._show(line, shown)
        if shown is not None and shown.only_signatures and part is Part.NONE:
            self._floods.note(shape, self._block[at], line, known[0] if len(known) == 1 else None)
        if part is Part.END:
            header, frame = self._messages.header, self._messages.frame
            if header is not None:
                self._events.forget(header)
            if not known:
                self._add_unknown(line, at, before=None if frame is None else one_line(*frame, line))
        elif not known and part is Part.NONE and line.level == "error":
            self._messages.tell(line, self._add_unknown(line, at))

    def _show(self, line: Line, shown: Shown) -> list[Seen]:
        """Show a line to those who want it; return the events that it is one of."""
        if shown.echoes:
            self._echo.feed(line.text, line.number)
        for fact in self._read_facts(line, shown):
            self._facts.add(fact, line)
        events = (self._match(line, signature) for signature in shown.signatures)
        return [seen for seen in events if seen is not None]

    def _read_facts(self, line: Line, shown: Shown) -> Iterator[LogFact]:
        for reader in shown.readers:
            if any(word in line.text for word in reader.words):
                for fact in reader.read(plain(line, line.text)):
                    self._engine = self._engine or reader.engine
                    yield fact

    def _late_facts(self) -> Iterator[tuple[LogFact, Line]]:
        for number, raw, stamp, shown in self._late.lines():
            for line in read_lines(raw, number):
                line.stamp = line.stamp or stamp
                if number >= self._since.get(line.source, 0):
                    yield from ((fact, line) for fact in self._read_facts(line, shown))

    def _match(self, line: Line, signature: LogSignature) -> Seen | None:
        engine = self._engine or self._echo.engine
        if signature.engines and engine and engine not in signature.engines:
            return None
        if not any(word in line.text for word in signature.words):
            return None
        found = signature.pattern.search(line.text)
        if found is None:
            return None
        seen = self._events.known(signature, line, self._starts.of(line.source))
        if seen.count == 1 and signature.explain is not None:
            seen.told = signature.explain(found)
        return seen

    def _add_unknown(self, line: Line, at: int, before: Line | None = None) -> Seen | None:
        seen = self._events.unknown(line, self._starts.of(line.source))
        if seen is None:
            return None
        if before is None:
            before = next((one_line(raw, line.number - 1, line) for raw in self._earlier(at)), None)
        seen.around = [line] if before is None else [before, line]
        if at + 1 < len(self._block):
            seen.around.append(one_line(self._block[at + 1], line.number + 1, line))
        else:
            self._awaiting.append(seen)
        return seen

    def _earlier(self, at: int) -> Iterator[bytes]:
        """Yield lines before one of this block, the nearest first, 64 at most."""
        start = max(0, at - _LOOK_BACK)
        yield from reversed(self._block[start:at])
        yield from reversed(self._before[len(self._before) - max(0, _LOOK_BACK - (at - start)) :])

    def _fill_awaiting(self) -> None:
        for seen in self._awaiting:
            seen.around.append(one_line(self._block[0], seen.first.number + 1, seen.first))
        self._awaiting = []

    def _end(self) -> ReadLog:
        kept = Finished(self._clock)
        facts, more_facts = self._facts.with_late(self._late_facts())
        echo = self._echo.echo()
        told = tuple(replace(fact, value=safe(fact.value), line=kept.line(line)) for fact, line in facts)
        starts = self._starts.most
        self._block = []
        last = self._clock.last(self._lines + 1, reversed(self._before))
        return ReadLog(
            file=self._file,
            node=self._node,
            engine=echo.engine or self._engine,
            version=echo.version or version_of(told),
            facts=told,
            events=tuple(kept.event(seen, starts - self._starts.of(seen.source)) for seen in self._events),
            asked=echo.asked,
            resolved=echo.resolved,
            starts=starts,
            lines=self._lines,
            first_s=self._clock.time_of(self._clock.first),
            last_s=self._clock.time_of(last),
            more_events=self._events.more,
            more_facts=more_facts + self._late.more,
        )
