"""HTTP/1.1 as far as the reference server needs it: requests with a length, answers with a length or in chunks.

Source: RFC 9112.
"""

__all__ = ["BadHttp", "HttpRequest", "RequestReader", "answer", "json_answer", "openai_error", "stream_head"]

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

import msgspec

_MAX_HEAD = 65_536
_PHRASES = {status.value: status.phrase for status in HTTPStatus}


class BadHttp(Exception):
    """The bytes are no HTTP request that this server reads; the connection cannot be used any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """One request; header names are lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    keep_alive: bool


class RequestReader:
    """Collects the bytes of one connection and gives back whole requests."""

    __slots__ = ("_data", "_head", "_head_size", "_need")

    def __init__(self) -> None:
        """Start with nothing."""
        self._data = bytearray()
        self._head: tuple[str, str, dict[str, str], bool] | None = None
        self._head_size = 0
        self._need = 0

    def feed(self, data: bytes) -> None:
        """Add received bytes."""
        self._data += data

    def take(self) -> HttpRequest | None:
        """Return the next request once all of it is there, else None; raises BadHttp."""
        if self._head is None and not self._read_head():
            return None
        if self._head is None or len(self._data) < self._need:
            return None
        method, path, headers, keep_alive = self._head
        body = bytes(self._data[self._head_size : self._need])
        del self._data[: self._need]
        self._head = None
        return HttpRequest(method=method, path=path, headers=headers, body=body, keep_alive=keep_alive)

    def _read_head(self) -> bool:
        end = self._data.find(b"\r\n\r\n")
        if end < 0:
            if len(self._data) > _MAX_HEAD:
                message = "the header of a request is too long"
                raise BadHttp(message)
            return False
        self._head = _parse_head(bytes(self._data[:end]))
        length = self._head[2].get("content-length", "0")
        if "transfer-encoding" in self._head[2] or not length.isascii() or not length.isdigit():
            message = f"a request needs a Content-Length in digits: {length!r}"
            raise BadHttp(message)
        self._head_size = end + 4
        self._need = self._head_size + int(length)
        return True


def _parse_head(head: bytes) -> tuple[str, str, dict[str, str], bool]:
    first, *lines = head.decode("latin-1").split("\r\n")
    try:
        method, path, version = first.split(" ")
        pairs = [line.split(":", 1) for line in lines]
        headers = {name.strip().lower(): value.strip() for name, value in pairs}
    except ValueError:
        message = f"no HTTP request: {first[:80]!r}"
        raise BadHttp(message) from None
    connection = headers.get("connection", "").lower()
    keep_alive = "close" not in connection if version == "HTTP/1.1" else "keep-alive" in connection
    return method, path, headers, keep_alive


def _head(status: int, content_type: str, framing: str, *, keep_alive: bool) -> bytes:
    connection = "keep-alive" if keep_alive else "close"
    lines = (
        f"HTTP/1.1 {status} {_PHRASES.get(status, 'Error')}",
        f"content-type: {content_type}",
        framing,
        f"connection: {connection}",
        "server: sparktune-reference",
    )
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def stream_head(*, keep_alive: bool) -> bytes:
    """Return the head of an answer whose events follow one by one."""
    return _head(200, "text/event-stream; charset=utf-8", "transfer-encoding: chunked", keep_alive=keep_alive)


def answer(status: int, body: bytes, content_type: str, *, keep_alive: bool) -> bytes:
    """Return a whole answer."""
    return _head(status, content_type, f"content-length: {len(body)}", keep_alive=keep_alive) + body


def json_answer(status: int, body: object, *, keep_alive: bool) -> bytes:
    """Return a whole answer whose body is JSON; bytes are taken as JSON already."""
    data = body if isinstance(body, bytes) else msgspec.json.encode(body)
    return answer(status, data, "application/json", keep_alive=keep_alive)


def openai_error(status: int, message: str, kind: str) -> dict[str, object]:
    """Return an error in the form of the OpenAI API."""
    return {"error": {"message": message, "type": kind, "param": None, "code": status}}
