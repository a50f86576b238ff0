"""A connection that is kept open may be closed by the server at the moment in which it is used again.

llama.cpp and proxies close idle connections after some seconds. A sweep of an evening makes thousands of requests
beside its measurements, and must not end because one of them met such a moment.
"""

import asyncio

import pytest

from sparktune.errors import ConnectFailed
from sparktune.io.http.address import parse_address
from sparktune.io.http.client import Client

_OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


class _Closing:
    """Answers ``answered`` requests of a connection, and closes it when the next one has come; counts connections."""

    def __init__(self, *answered: int) -> None:
        self._answered = list(answered)
        self.connections = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers = self._answered[min(self.connections, len(self._answered) - 1)]
        self.connections += 1
        for number in range(answers + 1):
            head = await reader.readuntil(b"\r\n\r\n")
            lines = head.lower().split(b"\r\n")
            size = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), 0)
            await reader.readexactly(size)
            if number < answers:
                writer.write(_OK)
        writer.close()


async def _posts(closing: _Closing, count: int) -> None:
    server = await asyncio.start_server(closing.serve, "127.0.0.1", 0)
    async with server, Client(parse_address(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")) as client:
        for _ in range(count):
            assert (await client.post("/v1/tokenize", b"{}", timeout_s=20)).body == b"{}"


async def test_a_request_on_a_kept_connection_that_was_closed_is_sent_again() -> None:
    closing = _Closing(1, 9)
    await _posts(closing, 3)
    assert closing.connections == 2


async def test_a_server_that_closes_every_time_is_told_and_asked_no_more() -> None:
    closing = _Closing(1, 0)
    with pytest.raises(ConnectFailed, match="closed the connection without an answer"):
        await _posts(closing, 2)
    assert closing.connections == 2


async def test_the_first_request_is_sent_once() -> None:
    closing = _Closing(0)
    with pytest.raises(ConnectFailed, match="closed the connection without an answer"):
        await _posts(closing, 1)
    assert closing.connections == 1
