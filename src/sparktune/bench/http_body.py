"""Take the HTTP framing off a recording, so that every body byte keeps the read that it came with.

Source: RFC 9112 (message framing: chunked, by length, or until the server closes); parsing is httptools' (llhttp).
"""

__all__ = ["HttpBody", "read_body"]

from collections.abc import Mapping
from dataclasses import dataclass

import httptools

from sparktune.model.recording import End, Recording

_FIRST_FINAL_STATUS = 200  # 1xx answers are interim: another head follows


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpBody:
    """``data`` is the body without framing; after read ``i`` of the recording ``ends[i]`` bytes of it had arrived.

    ``status`` is None when no head came. ``complete`` says whether the message ended as its head announced; ``broken``
    is the parser's complaint where the bytes are not HTTP.
    """

    status: int | None
    reason: str
    headers: Mapping[str, str]
    data: bytes
    ends: list[int]
    complete: bool
    broken: str = ""


def read_body(recording: Recording) -> HttpBody:
    """Parse the recorded bytes read by read. Raises nothing: what cannot be parsed is told in ``broken``."""
    collector = _Collector()
    parser = collector.parser = httptools.HttpResponseParser(collector)
    ends: list[int] = []
    broken = ""
    try:
        _feed(parser, collector, recording, ends)
    except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
        broken = "" if collector.complete else str(error)
    ends.extend([collector.size] * (len(recording.read_ends) - len(ends)))
    headers = collector.headers
    framed = "content-length" in headers or "chunked" in headers.get("transfer-encoding", "").lower()
    closed = collector.headed and not framed and not broken and recording.end is End.CLOSED
    return HttpBody(
        status=collector.status or None,
        reason=collector.reason.decode("latin-1"),
        headers=headers,
        data=b"".join(collector.pieces),
        ends=ends,
        complete=collector.complete or closed,
        broken=broken,
    )


def _feed(parser: httptools.HttpResponseParser, collector: "_Collector", recording: Recording, ends: list[int]) -> None:
    """Feed one read after the other up to the end of the message; ``ends`` grows by one per read."""
    data, start, feed, add = recording.data, 0, parser.feed_data, ends.append
    for end in recording.read_ends:
        feed(data[start:end])
        start = end
        add(collector.size)
        if collector.complete:
            return


class _Collector:
    """Callbacks of the parser; their names are its protocol. Whatever follows a complete message is not ours."""

    __slots__ = ("complete", "headed", "headers", "parser", "pieces", "reason", "size", "status")

    def __init__(self) -> None:
        self.parser: httptools.HttpResponseParser | None = None
        self.headers: dict[str, str] = {}
        self.reason = b""
        self.pieces: list[bytes] = []
        self.size = 0
        self.status = 0
        self.headed = False
        self.complete = False

    def on_message_begin(self) -> None:
        """Forget an interim head."""
        if not self.complete:
            self.headers, self.reason = {}, b""

    def on_status(self, status: bytes) -> None:
        """Keep the reason phrase, which may come in parts."""
        if not self.complete:
            self.reason += status

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header under its lower-case name."""
        if not self.complete:
            self.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_headers_complete(self) -> None:
        """Keep the status of a whole head."""
        if not self.complete and self.parser is not None:
            self.status = self.parser.get_status_code()
            self.headed = self.status >= _FIRST_FINAL_STATUS

    def on_body(self, piece: bytes) -> None:
        """Keep a piece of the body."""
        if not self.complete:
            self.pieces.append(piece)
            self.size += len(piece)

    def on_message_complete(self) -> None:
        """Note the end, unless it is that of an interim head."""
        self.complete = self.complete or self.headed
