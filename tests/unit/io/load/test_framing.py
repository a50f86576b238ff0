"""Where an answer ends decides how long a request is said to take: a wrong end is a wrong number or a hang."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.io.load.framing import Framing, find_framing

_OK = b"HTTP/1.1 200 OK\r\n"
_UNTIL_CLOSE = Framing()
_CHUNKED = Framing(chunked=True)
_CASES = {
    "nothing yet": (b"", None),
    "half a head": (_OK + b"Content-Length: 3\r\n", None),
    "half an end of head": (_OK + b"Content-Length: 3\r\n\r", None),
    "length": (_OK + b"Content-Length: 3\r\n\r\n", Framing(total=41)),
    "length with part of the body": (_OK + b"Content-Length: 3\r\n\r\nab", Framing(total=41)),
    "length in odd case and blanks": (_OK + b"CONTENT-LENGTH:   3 \r\n\r\n", Framing(total=44)),
    "length zero": (_OK + b"Content-Length: 0\r\n\r\n", Framing(total=38)),
    "length that is none": (_OK + b"Content-Length: -3\r\n\r\n", _UNTIL_CLOSE),
    "length in words": (_OK + b"Content-Length: three\r\n\r\n", _UNTIL_CLOSE),
    "length of too many digits": (_OK + b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n", _UNTIL_CLOSE),
    "chunked": (_OK + b"Transfer-Encoding: chunked\r\n\r\n", _CHUNKED),
    "chunked in odd case": (_OK + b"transfer-encoding:Chunked\r\n\r\n", _CHUNKED),
    "compressed and chunked": (_OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n", _CHUNKED),
    "chunked beats a length": (_OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", _CHUNKED),
    "neither": (_OK + b"Content-Type: text/event-stream\r\n\r\ndata: x", _UNTIL_CLOSE),
    "no body by status": (b"HTTP/1.1 204 No Content\r\n\r\n", Framing(total=27)),
    "error with length": (b"HTTP/1.1 503 Loading\r\nContent-Length: 2\r\n\r\n{}", Framing(total=45)),
    "interim answer only": (b"HTTP/1.1 103 Early Hints\r\n\r\n", None),
    "interim answer first": (b"HTTP/1.1 100 Continue\r\n\r\n" + _OK + b"Content-Length: 3\r\n\r\n", Framing(total=66)),
    "interim answer and half a head": (b"HTTP/1.1 100 Continue\r\n\r\n" + _OK, None),
    "upgrade is final": (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", _UNTIL_CLOSE),
    "no HTTP": (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", _UNTIL_CLOSE),
    "empty line": (b"\r\n\r\n", _UNTIL_CLOSE),
    "endless head": (b"x" * 70_000, _UNTIL_CLOSE),
}


@pytest.mark.parametrize(("received", "framing"), _CASES.values(), ids=_CASES)
def test_framing(received: bytes, framing: Framing | None) -> None:
    assert find_framing(received) == framing


@given(received=st.binary(max_size=200))
def test_any_bytes(received: bytes) -> None:
    """What a server sends is not ours to trust; the answer is the same for both kinds of buffer."""
    assert find_framing(received) == find_framing(bytearray(received))
