"""A request as bytes (RFC 9112), built before the wave so that sending is one system call."""

__all__ = ["post_bytes"]

import re
from collections.abc import Mapping

from sparktune.errors import UsageError
from sparktune.io.load.target import Target

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_UNSENDABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_PATH = re.compile(r"/[\x21-\x7e]*")
_OURS = frozenset({"host", "content-length", "connection", "transfer-encoding", "expect", "upgrade"})


def post_bytes(target: Target, path: str, headers: Mapping[str, str], body: bytes) -> bytes:
    """Return a complete POST: Host, Content-Length, Accept and Connection are added, nothing else.

    ``Accept: text/event-stream`` gives way to an Accept of the caller. ``Connection: close`` makes the end of the
    connection the end of the answer. Raises UsageError for a path or a header that HTTP cannot carry; header values
    are never part of the message, since a key may be among them.
    """
    if not _PATH.fullmatch(path):
        message = f"the path {path!r} cannot be sent: it must start with / and hold no blanks or control characters"
        raise UsageError(message)
    accept = {} if any(name.lower() == "accept" for name in headers) else {"Accept": "text/event-stream"}
    lines = [f"POST {path} HTTP/1.1".encode("ascii"), b"Host: " + target.authority.encode("ascii")]
    lines += [_header(name, value) for name, value in (*headers.items(), *accept.items())]
    lines += [b"Content-Length: %d" % len(body), b"Connection: close", b"", b""]
    return b"\r\n".join(lines) + body


def _header(name: str, value: str) -> bytes:
    if not _TOKEN.fullmatch(name):
        message = f"{name!r} is not the name of an HTTP header"
        raise UsageError(message)
    if name.lower() in _OURS:
        message = f"the header {name} is set by this program"
        raise UsageError(message, hint="leave it out")
    if _UNSENDABLE.search(value):
        message = f"the value of the header {name} holds a line break or another control character"
        raise UsageError(message, hint="check the file or variable it came from for stray line breaks")
    try:
        return f"{name}: {value}".encode("latin-1")
    except UnicodeEncodeError as error:
        message = f"the value of the header {name} holds a character that HTTP cannot carry at place {error.start}"
        raise UsageError(message, hint="use ASCII only") from error
