"""The name in the Host header is the server's; bodies and everything else pass as they are."""

import pytest

from sparktune.io.record.host_header import HostRewriter

_POST = b"POST /v1 HTTP/1.1\r\nHOST: 127.0.0.1:9000\r\nContent-Length: 25\r\n\r\n\r\n\r\nHost: in the body\r\n\r\n"
_GET = b"GET /v1/models HTTP/1.1\r\nAccept: */*\r\nHost:x\r\n\r\n"


def _sent(data: bytes, piece: int) -> bytes:
    rewriter = HostRewriter("box.lan:8443")
    return b"".join(rewriter.take(data[start : start + piece]) for start in range(0, len(data), piece))


@pytest.mark.parametrize("piece", [1, 3, 20, 1000])
def test_every_head_of_a_connection_gets_the_name(piece: int) -> None:
    sent = _sent(_POST + _GET + _POST, piece)

    assert sent.count(b"Host: box.lan:8443\r\n") == 3
    assert sent.count(b"Host: in the body") == 2
    assert sent == (_POST + _GET + _POST).replace(b"HOST: 127.0.0.1:9000", b"Host: box.lan:8443").replace(
        b"Host:x", b"Host: box.lan:8443"
    )


@pytest.mark.parametrize("piece", [1, 1000])
def test_what_is_not_followed_passes_untouched(piece: int) -> None:
    chunked = b"POST /v1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    sent = _sent(chunked + _GET, piece)

    assert sent == chunked.replace(b"Host: a", b"Host: box.lan:8443") + _GET


def test_bytes_without_an_end_of_a_head_are_not_held_for_ever() -> None:
    data = b"x" * 70_000

    assert _sent(data + b"more", 1000) == data + b"more"
