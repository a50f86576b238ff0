"""Framing comes off without moving a byte to another read."""

import pytest
from tests.support.recordings import HEAD, one_read, recording

from sparktune.bench.http_body import read_body
from sparktune.model.recording import End


def test_every_body_byte_keeps_its_read() -> None:
    """Two HTTP chunks in three reads that end in a size line, in data, and in the end mark."""
    reads = [HEAD + b"3\r", b"\nabc\r\n2\r\nd", b"e\r\n0\r\n\r\n"]

    body = read_body(recording([(1, reads[0]), (2, reads[1]), (3, reads[2])]))

    assert body.data == b"abcde"
    assert body.ends == [0, 4, 5]
    assert body.complete


def test_headers_are_found_in_lower_case() -> None:
    body = read_body(one_read(b"HTTP/1.1 404 Not Found\r\nX-Kind: A\r\nContent-Length: 2\r\n\r\nno"))

    assert (body.status, body.reason, body.data, body.complete) == (404, "Not Found", b"no", True)
    assert body.headers == {"x-kind": "A", "content-length": "2"}


def test_an_interim_head_is_not_the_answer() -> None:
    interim = b"HTTP/1.1 100 Continue\r\nX-Interim: 1\r\n\r\n"

    body = read_body(one_read(interim + b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))

    assert (body.status, body.reason, body.data, body.complete) == (200, "OK", b"ok", True)
    assert "x-interim" not in body.headers


@pytest.mark.parametrize(("end", "complete"), [(End.CLOSED, True), (End.RESET, False), (End.STALL, False)])
def test_a_body_without_length_ends_when_the_server_closes(end: End, *, complete: bool) -> None:
    body = read_body(one_read(b"HTTP/1.0 200 OK\r\n\r\nall of it", end=end))

    assert (body.data, body.complete) == (b"all of it", complete)


def test_a_short_body_is_not_complete_when_the_server_closes() -> None:
    body = read_body(one_read(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", end=End.CLOSED))

    assert (body.data, body.complete, body.broken) == (b"half", False, "")


@pytest.mark.parametrize("more", [b"HTTP/1.1 500 Late\r\nX: 1\r\nContent-Length: 3\r\n\r\nbad", b"garbage"])
def test_what_follows_a_complete_message_is_not_read(more: bytes) -> None:
    data = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    body = read_body(recording([(1, data + more), (2, more)]))

    assert (body.status, body.reason, body.data, body.complete, body.broken) == (200, "OK", b"ok", True, "")
    assert body.ends == [2, 2]


@pytest.mark.parametrize("data", [b"", b"HTTP/1.1 20"])
def test_no_whole_head_is_no_status(data: bytes) -> None:
    body = read_body(one_read(data, end=End.CLOSED))

    assert (body.status, body.data, body.complete) == (None, b"", False)


def test_bytes_that_are_not_http_are_named() -> None:
    body = read_body(one_read(b"\x16\x03\x01"))

    assert body.status is None
    assert body.broken


def test_an_upgrade_is_no_answer() -> None:
    body = read_body(one_read(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nzz"))

    assert (body.status, body.complete) == (101, False)
