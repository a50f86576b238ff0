"""The requests and answers of one connection, taken apart from copies of the bytes that passed.

Nothing here may fail: bytes that are no HTTP end the reading of their connection, and are counted. Source: RFC 9112
(answers come in the order of the requests; 1xx answers are interim); parsing is httptools' (llhttp).
"""

__all__ = ["ConnectionReader", "End", "Exchange"]

import zlib
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

import httptools

from sparktune.bench.traffic.answered import AnswerReader, told_encoding
from sparktune.bench.traffic.asked import route_of
from sparktune.units import Bytes, Nanoseconds

_FIRST_FINAL_STATUS = 200
_MOST_BODY_BYTES: Bytes = 256 * 1024 * 1024
_ANY_ZLIB = 47


class End(Enum):
    """How an exchange ended; the value is recorded."""

    DONE = "done"
    CLIENT_GONE = "client gone"
    SERVER_GONE = "server gone"
    RECORDING_ENDED = "recording ended"


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One request with its answer; ``route`` None is one that makes no model write."""

    at_ns: Nanoseconds
    method: str = ""
    route: str | None = None
    body: bytes = field(default=b"", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    why_unread: str = ""
    status: int | None = None
    answer: AnswerReader = field(default_factory=AnswerReader)
    end: End | None = None
    end_ns: Nanoseconds = 0
    number: int | None = None
    whole: bool = False


OnExchange = Callable[[Exchange], None]


class ConnectionReader:
    """Reads both directions; ``asked`` is called when a request is whole, ``answered`` when its exchange is over.

    ``lost`` says why a connection is not read any further. An exchange that was asked is always answered, at the
    latest by ``close``.
    """

    def __init__(self, asked: OnExchange, answered: OnExchange) -> None:
        """Begin a connection."""
        self._asked = asked
        self._answered = answered
        self._at_ns: Nanoseconds = 0
        self._open: deque[Exchange] = deque()
        self._requests = httptools.HttpRequestParser(_Requests(self))
        self._answers = httptools.HttpResponseParser(_Answers(self))
        self._client_done = False
        self.lost = ""

    @property
    def idle(self) -> bool:
        """Whether no answer is due."""
        return not self._open

    def up(self, data: bytes, at_ns: Nanoseconds) -> None:
        """Take bytes of the client."""
        self._feed(self._requests, data, at_ns)

    def down(self, data: bytes, at_ns: Nanoseconds) -> None:
        """Take bytes of the server."""
        self._feed(self._answers, data, at_ns)

    def client_done(self) -> None:
        """The client sends no more: it has left, or it only says so and reads on; what the server does then tells."""
        self._client_done = True

    def give_up(self, why: str, at_ns: Nanoseconds) -> None:
        """Read no further; what was open ends as unknown."""
        self.lost = self.lost or why
        self._end_all(None, at_ns)

    def close(self, end: End, at_ns: Nanoseconds) -> None:
        """End what is still open: an answer without a length ends with its connection."""
        first = self._open[0] if self._open else None
        if first and end is End.SERVER_GONE and first.status is not None and not _framed(first.headers):
            self._over(first, End.DONE, at_ns)
        left = end is End.SERVER_GONE and self._client_done
        self._end_all(End.CLIENT_GONE if left else end, at_ns)

    def began(self, method: str, target: str) -> Exchange:
        """Note a request whose head is whole."""
        exchange = Exchange(at_ns=self._at_ns, method=method, route=route_of(method, target))
        self._open.append(exchange)
        return exchange

    def whole(self, exchange: Exchange) -> None:
        """Note that a request is whole."""
        exchange.whole = True
        if exchange.method == "HEAD":  # its answer has a length and no body, which the parser cannot know
            self.lost = "HEAD"
        self._asked(exchange)

    def current(self) -> Exchange | None:
        """Return the exchange whose answer comes next."""
        return self._open[0] if self._open else None

    def over(self) -> None:
        """Note that an answer is whole."""
        if self._open:
            self._over(self._open[0], End.DONE, self._at_ns)

    @property
    def at_ns(self) -> Nanoseconds:
        """When the bytes at hand passed."""
        return self._at_ns

    def _feed(
        self, parser: httptools.HttpRequestParser | httptools.HttpResponseParser, data: bytes, at_ns: Nanoseconds
    ) -> None:
        if self.lost:
            return
        self._at_ns = at_ns
        try:
            parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self.give_up("upgrade" if isinstance(error, httptools.HttpParserUpgrade) else "no HTTP", at_ns)
        self._end_if_lost()

    def _end_if_lost(self) -> None:
        if self.lost:
            self._end_all(None, self._at_ns)

    def _over(self, exchange: Exchange, end: End | None, at_ns: Nanoseconds) -> None:
        self._open.remove(exchange)
        exchange.answer.end()
        exchange.end, exchange.end_ns = end, at_ns
        self._answered(exchange)

    def _end_all(self, end: End | None, at_ns: Nanoseconds) -> None:
        while self._open:
            self._over(self._open[0], end, at_ns)


def _framed(headers: Mapping[str, str]) -> bool:
    return "content-length" in headers or "chunked" in headers.get("transfer-encoding", "").lower()


class _Requests:
    """Callbacks of the parser of requests; their names are its protocol."""

    def __init__(self, reader: ConnectionReader) -> None:
        self._reader = reader
        self._target = b""
        self._headers: dict[str, str] = {}
        self._exchange: Exchange | None = None
        self._body: list[bytes] = []
        self._size = 0
        self._began_ns: Nanoseconds = 0

    def on_message_begin(self) -> None:
        """A request begins with the bytes at hand."""
        self._target, self._headers, self._body, self._size = b"", {}, [], 0
        self._exchange, self._began_ns = None, self._reader.at_ns

    def on_url(self, part: bytes) -> None:
        """Keep the target, which may come in parts."""
        self._target += part

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep only what says how the body is to be read: keys and cookies stay where they are."""
        if name.lower() == b"content-encoding":
            self._headers["content-encoding"] = value.decode("latin-1").strip().lower()

    def on_headers_complete(self) -> None:
        """The head is whole: whatever comes next belongs to it."""
        method = self._reader._requests.get_method().decode("latin-1")  # noqa: SLF001 - both are this file's
        self._exchange = self._reader.began(method, self._target.decode("latin-1"))
        self._exchange.at_ns = self._began_ns

    def on_body(self, piece: bytes) -> None:
        """Keep a piece of a body that is to be understood."""
        exchange = self._exchange
        if exchange is None or exchange.route is None or exchange.why_unread:
            return
        self._size += len(piece)
        if self._size > _MOST_BODY_BYTES:
            exchange.why_unread = f"its body has more than {_MOST_BODY_BYTES // 1024**2} MiB"
            self._body.clear()
        else:
            self._body.append(piece)

    def on_message_complete(self) -> None:
        """The request is whole."""
        exchange = self._exchange
        if exchange is None:
            return
        if exchange.route is not None and not exchange.why_unread:
            exchange.body, exchange.why_unread = _plain(b"".join(self._body), self._headers.get("content-encoding", ""))
        self._body = []
        self._reader.whole(exchange)


class _Answers:
    """Callbacks of the parser of answers; their names are its protocol."""

    def __init__(self, reader: ConnectionReader) -> None:
        self._reader = reader
        self._headers: dict[str, str] = {}
        self._final = False

    def on_message_begin(self) -> None:
        """An answer begins, interim or not."""
        self._headers, self._final = {}, False

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep what says how the body is to be read."""
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """The head is whole."""
        status = self._reader._answers.get_status_code()  # noqa: SLF001 - both are this file's
        exchange = self._reader.current()
        self._final = status >= _FIRST_FINAL_STATUS
        if self._final and exchange is not None:
            exchange.status, exchange.headers = status, self._headers
            exchange.answer.head(self._headers)

    def on_body(self, piece: bytes) -> None:
        """Hand on a piece of the body."""
        exchange = self._reader.current()
        if self._final and exchange is not None and exchange.route is not None:
            exchange.answer.feed(piece, self._reader.at_ns)

    def on_message_complete(self) -> None:
        """The answer is whole, unless it was an interim one."""
        if self._final:
            self._reader.over()


def _plain(body: bytes, encoding: str) -> tuple[bytes, str]:
    """Return a body without its encoding, or why there is none."""
    if encoding in {"", "identity"}:
        return body, ""
    if encoding not in {"gzip", "x-gzip", "deflate"}:
        return b"", f"its body is encoded as {told_encoding(encoding)}"
    try:
        inflate = zlib.decompressobj(_ANY_ZLIB)
        plain = inflate.decompress(body, _MOST_BODY_BYTES)
    except zlib.error:
        return b"", "its body says that it is compressed, and is not"
    if inflate.unconsumed_tail:
        return b"", f"its body has more than {_MOST_BODY_BYTES // 1024**2} MiB"
    return plain, ""
