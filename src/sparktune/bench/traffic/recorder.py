"""What a recording makes of the copies of bytes that passed: lines of a trace, and counts of what it could not read."""

__all__ = ["Recorder", "Tally"]

from collections import Counter
from collections.abc import Callable, Mapping

import msgspec

from sparktune.bench.traffic.asked import read_asked
from sparktune.bench.traffic.exchanges import ConnectionReader, End, Exchange
from sparktune.bench.traffic.ledger import Ledger, Line
from sparktune.units import Nanoseconds, Tokens


class Tally(msgspec.Struct, kw_only=True):
    """Counts of a recording; ``missed`` says why requests that make a model write are not in it, and how many."""

    requests: int = 0
    others: int = 0
    sessions: int = 0
    open: int = 0
    input_tokens: Tokens = 0
    output_tokens: Tokens = 0
    shared_tokens: Tokens = 0
    cached_tokens: Tokens = 0
    cached_of_tokens: Tokens = 0
    estimated: int = 0
    failed: int = 0
    cut_short: int = 0
    unwritten: int = 0
    forgotten: int = 0
    missed: dict[str, int] = msgspec.field(default_factory=dict)


class Recorder:
    """Reads connections by their numbers; ``write`` gets lines that are due, and returns whether they are kept."""

    def __init__(self, key: bytes, write: Callable[[bytes], bool], *, with_text: bool = False) -> None:
        """Begin with no connection."""
        self._ledger = Ledger(key, with_text=with_text)
        self._write = write
        self._readers: dict[int, ConnectionReader] = {}
        self._missed: Counter[str] = Counter()
        self._tally = Tally()

    def opened(self, connection: int) -> None:
        """A client has connected."""
        self._readers[connection] = ConnectionReader(self._asked, self._answered)

    def up(self, connection: int, data: bytes, at_ns: Nanoseconds) -> None:
        """Bytes of a client passed."""
        if connection in self._readers:
            self._readers[connection].up(data, at_ns)
            self._told_lost(connection)

    def down(self, connection: int, data: bytes, at_ns: Nanoseconds) -> None:
        """Bytes of the server passed."""
        if connection in self._readers:
            self._readers[connection].down(data, at_ns)
            self._told_lost(connection)

    def client_done(self, connection: int) -> None:
        """The client of a connection sends no more."""
        if connection in self._readers:
            self._readers[connection].client_done()

    def skipped(self, connection: int, at_ns: Nanoseconds) -> None:
        """Bytes passed that the recording did not keep up with."""
        if connection in self._readers:
            self._readers[connection].give_up("behind", at_ns)
            self._told_lost(connection)

    def closed(self, connection: int, end: End, at_ns: Nanoseconds) -> None:
        """A connection is over, or one side of it is."""
        reader = self._readers.pop(connection, None)
        if reader is not None:
            reader.close(end, at_ns)

    def idle(self) -> tuple[int, ...]:
        """Return the connections on which no answer is due."""
        return tuple(number for number, reader in self._readers.items() if reader.idle)

    def is_idle(self, connection: int) -> bool:
        """Whether no answer is due on a connection."""
        reader = self._readers.get(connection)
        return reader is None or reader.idle

    def end(self, at_ns: Nanoseconds) -> None:
        """Write what is left."""
        for connection in tuple(self._readers):
            self.closed(connection, End.RECORDING_ENDED, at_ns)
        for line in self._ledger.rest(at_ns):
            self._keep(line)

    def tally(self) -> Tally:
        """Return the counts so far."""
        tally = self._tally
        tally.sessions, tally.forgotten, tally.open = self._ledger.sessions, self._ledger.forgotten, self._ledger.open
        tally.missed = dict(self._missed)
        return tally

    def _asked(self, exchange: Exchange) -> None:
        if exchange.route is None:
            self._tally.others += 1
            return
        if exchange.end_ns:  # over before it was whole, and counted then
            return
        asked = exchange.why_unread or read_asked(exchange.route, exchange.body)
        if isinstance(asked, str):
            self._missed[asked] += 1
            return
        if not asked.chars:
            self._missed["it has no prompt"] += 1
            return
        self._ledger.begin(exchange, asked)

    def _answered(self, exchange: Exchange) -> None:
        if exchange.number is None:
            if exchange.route is not None and exchange.end is not None and not exchange.whole:
                how = "answered" if exchange.end is End.DONE else "cut off"
                self._missed[f"it was {how} before it was whole"] += 1
            return
        if exchange.answer.unread:
            self._missed[f"lengths of answers estimated: {exchange.answer.unread}"] += 1
        refused = exchange.status is not None and exchange.status >= _FIRST_ERROR
        self._tally.failed += refused or exchange.answer.failed
        self._tally.cut_short += exchange.end is not End.DONE
        for line in self._ledger.finish(exchange):
            self._keep(line)

    def _keep(self, line: Line) -> None:
        tally = self._tally
        if not self._write(line.text):
            tally.unwritten += 1
            return
        tally.requests += 1
        tally.input_tokens += line.input_tokens
        tally.output_tokens += line.output_tokens
        tally.shared_tokens += line.shared_tokens
        tally.estimated += line.estimated
        if line.cached_tokens is not None:
            tally.cached_tokens += line.cached_tokens
            tally.cached_of_tokens += line.input_tokens

    def _told_lost(self, connection: int) -> None:
        reader = self._readers[connection]
        if reader.lost:
            del self._readers[connection]
            self._missed[_LOST.get(reader.lost, reader.lost)] += 1


_FIRST_ERROR = 400
_LOST: Mapping[str, str] = {
    "HEAD": "connections read no further: a HEAD request",
    "upgrade": "connections read no further: they changed to another protocol",
    "no HTTP": "connections read no further: what passed was no HTTP/1",
    "behind": "connections read no further: the recording could not keep up",
}
