"""Where an HTTP/1.1 answer ends (RFC 9112 section 6), as far as a glance at its head can tell."""

__all__ = ["CHUNKED_END", "Framing", "find_framing"]

from dataclasses import dataclass

CHUNKED_END = b"\r\n0\r\n\r\n"
"""How the last read of a chunked answer ends. The line break before it belongs to the chunk before it or to the head.

The seven bytes cannot occur inside an event stream: a line of it that is only ``0`` names no field. An answer with
trailers ends otherwise; it is over when the server closes the connection, which it was asked to do.
"""

_HEAD_END = b"\r\n\r\n"
_MAX_HEAD = 65_536
_MAX_LENGTH_DIGITS = 18  # no answer is an exabyte; Python refuses to read numbers of thousands of digits
_BODILESS = frozenset({b"204", b"304"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Framing:
    """``chunked``: over at CHUNKED_END; ``total``: over at that many received bytes; neither: over when it closes."""

    chunked: bool = False
    total: int | None = None


def find_framing(received: bytes | bytearray) -> Framing | None:
    """Return how the answer that starts with ``received`` ends, or None while its head is not complete.

    Interim answers (100, 103) before it are skipped. What is no HTTP head is over when the connection closes.
    """
    start = 0
    while True:
        end = received.find(_HEAD_END, start)
        if end < 0:
            return Framing() if len(received) - start > _MAX_HEAD else None
        status, *fields = bytes(received[start:end]).split(b"\r\n")
        start = end + len(_HEAD_END)
        code = status.split(b" ")[1:2]
        if not (code and code[0][:1] == b"1" and code != [b"101"]):
            return _of_head(code, fields, start)


def _of_head(code: list[bytes], fields: list[bytes], body_start: int) -> Framing:
    if code and code[0] in _BODILESS:
        return Framing(total=body_start)
    headers = {name.strip().lower(): value.strip() for name, _, value in (field.partition(b":") for field in fields)}
    if headers.get(b"transfer-encoding", b"").lower().endswith(b"chunked"):
        return Framing(chunked=True)
    length = headers.get(b"content-length", b"")
    known = length.isdigit() and len(length) <= _MAX_LENGTH_DIGITS
    return Framing(total=body_start + int(length)) if known else Framing()
