"""Requests arrive in pieces; the server must not care where they are cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.io.reference.wire import BadHttp, HttpRequest, RequestReader

_TWO = (
    b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
    b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
)


@given(st.lists(st.integers(0, len(_TWO)), max_size=8))
def test_pieces_do_not_matter(cuts: list[int]) -> None:
    reader = RequestReader()
    found: list[HttpRequest] = []
    edges = [0, *sorted(cuts), len(_TWO)]
    for start, end in pairwise(edges):
        reader.feed(_TWO[start:end])
        while (request := reader.take()) is not None:
            found.append(request)

    assert [(request.method, request.path, request.body, request.keep_alive) for request in found] == [
        ("POST", "/v1/completions", b"hello", True),
        ("GET", "/health", b"", False),
    ]


@pytest.mark.parametrize(
    ("version", "connection", "expected"),
    [("1.1", "", True), ("1.1", "close", False), ("1.0", "", False), ("1.0", "keep-alive", True)],
)
def test_keep_alive(version: str, connection: str, *, expected: bool) -> None:
    reader = RequestReader()
    reader.feed(f"GET / HTTP/{version}\r\nConnection: {connection}\r\n\r\n".encode())
    request = reader.take()

    assert request is not None
    assert request.keep_alive is expected


@pytest.mark.parametrize(
    "data",
    [
        b"hello\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"x" * 70_000,
    ],
)
def test_what_is_no_request_is_refused(data: bytes) -> None:
    reader = RequestReader()
    reader.feed(data)

    with pytest.raises(BadHttp):
        reader.take()
