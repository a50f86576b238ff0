"""Nothing that a client or a server does is changed by the proxy between them, whatever becomes of the recording.

A person lets the traffic of a whole household through it: a stream that breaks because of it is the worst that can be.
"""

import asyncio
import json
import ssl
import struct
import threading
from pathlib import Path
from socket import IPPROTO_TCP, SO_LINGER, SOL_SOCKET, TCP_NODELAY

import pytest
from tests.integration.load.conftest import certificates, server_context
from tests.support.proxied import ASK, CHAT, FIRST, HEAD, LAST, TOLD, chunk, url_of
from tests.support.scripted_server import (
    Connection,
    ScriptedServer,
    close,
    hold,
    read_body,
    reset,
    send,
    wait,
)
from tests.support.scripted_server import signal as tell
from tests.support.traffic import answer, chat, request

from sparktune.io.reference.process import ReferenceProcess

__all__ = ["certificates", "server_context"]

_RESET = struct.pack("ii", 1, 0)


async def test_bytes_arrive_as_they_were_sent_both_ways(recording) -> None:  # noqa: ANN001
    """Keep-alive, chunks, an interim answer, headers with strange cases: to the byte."""
    third = HEAD + chunk(FIRST) + chunk(LAST) + b"0\r\n\r\n"
    whole = b"HTTP/1.1 100 Continue\r\n\r\n" + TOLD + third
    up = ASK + ASK.replace(b"Host: x", b"hOsT:   y\r\nX-Odd: \xff\xfe")

    def read_all(connection: Connection) -> None:
        while len(connection.received) < len(up):
            assert connection.read()

    with ScriptedServer({CHAT: [read_all, send(whole), hold()]}) as server:
        async with recording(url_of(server)) as running:
            reader, writer = await running.client()
            writer.write(up)  # both at once: the second one does not wait for the first one's answer
            got = await reader.readexactly(len(whole))
            writer.close()
            lines = await running.lines()
        received = bytes(server.connections[CHAT][0].received)

    assert got == whole
    assert received == up
    assert [(line["input_length"], line["output_length"]) for line in lines] == [(7, 1), (7, 1)]


async def test_what_the_server_sends_is_passed_on_at_once(recording) -> None:  # noqa: ANN001
    seen = threading.Event()
    steps = [read_body(), send(HEAD + chunk(FIRST)), wait(seen), send(chunk(LAST) + b"0\r\n\r\n"), hold()]
    with ScriptedServer({CHAT: steps}) as server:
        async with recording(url_of(server)) as running:
            reader, writer = await running.client()
            writer.write(ASK)
            first = await reader.readuntil(b"one")
            seen.set()  # the server goes on only now
            rest = await reader.readuntil(b"0\r\n\r\n")
            writer.close()
            (line,) = await running.lines()

    assert first + rest == HEAD + chunk(FIRST) + chunk(LAST) + b"0\r\n\r\n"
    assert line["sparktune"]["ttft_ms"] < line["sparktune"]["duration_ms"]


@pytest.mark.parametrize(("ends", "is_reset"), [(close, False), (reset, True)])
async def test_a_server_that_breaks_off_breaks_off_for_the_client(recording, ends, *, is_reset: bool) -> None:  # noqa: ANN001
    """In the middle of a chunk; everything before it arrives first."""
    cut = HEAD + chunk(FIRST)[:-9]
    with ScriptedServer({CHAT: [read_body(), send(cut), ends()]}) as server:
        async with recording(url_of(server)) as running:
            reader, writer = await running.client()
            writer.write(ASK)
            got = await reader.readexactly(len(cut))
            if is_reset:
                with pytest.raises(ConnectionResetError):
                    await reader.read()
            else:
                assert await reader.read() == b""
            writer.close()
            (line,) = await running.lines()

    assert got == cut
    assert line["sparktune"]["end"] == "server gone"


@pytest.mark.parametrize("is_reset", [False, True])
async def test_a_client_that_leaves_is_seen_by_the_server(recording, *, is_reset: bool) -> None:  # noqa: ANN001
    """An engine stops to compute for nobody only when it learns of it."""
    left, asked = threading.Event(), threading.Event()
    seen: list[str] = []

    def watch(connection: Connection) -> None:
        try:
            while connection.read():
                pass
            seen.append("end")
        except ConnectionResetError:
            seen.append("reset")
        left.set()

    with ScriptedServer({CHAT: [read_body(), tell(asked), watch, close()]}) as server:
        async with recording(url_of(server)) as running:
            sock = running.socket()
            sock.sendall(ASK)
            await running.until(asked.is_set)
            if is_reset:
                sock.setsockopt(SOL_SOCKET, SO_LINGER, _RESET)
            sock.close()
            await running.until(left.is_set)
            (line,) = await running.lines()

    assert seen == ["reset" if is_reset else "end"]
    assert line["sparktune"]["end"] == "client gone"


async def test_a_client_that_only_sends_no_more_gets_its_answer(recording) -> None:  # noqa: ANN001
    def to_the_end(connection: Connection) -> None:
        while connection.read():
            pass

    with ScriptedServer({CHAT: [to_the_end, send(TOLD), close()]}) as server:
        async with recording(url_of(server)) as running:
            reader, writer = await running.client()
            writer.write(ASK)
            writer.write_eof()
            assert await reader.read() == TOLD
            writer.close()
            (line,) = await running.lines()

    assert (line["sparktune"]["end"], line["input_length"]) == ("done", 7)


async def test_a_slow_reader_slows_its_server_and_not_the_memory(recording) -> None:  # noqa: ANN001
    """48 MiB are not held for a client that does not read them."""
    whole = answer(b"x" * (48 * 1024 * 1024))
    sent: list[int] = []
    blocked = threading.Event()

    def send_pieces(connection: Connection) -> None:
        connection.sock.settimeout(0.5)
        view, place = memoryview(whole), 0
        while place < len(view):
            try:
                place += connection.sock.send(view[place : place + 65_536])
            except TimeoutError:
                sent.append(place)
                blocked.set()
                connection.sock.settimeout(30.0)

    with ScriptedServer({"/v1/models": [send_pieces, hold()]}) as server:
        async with recording(url_of(server)) as running:
            sock = running.socket()
            sock.sendall(b"GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n")
            await running.until(blocked.is_set)
            loop, got = asyncio.get_running_loop(), bytearray()
            while len(got) < len(whole):
                got += await loop.sock_recv(sock, 1 << 20)
            sock.close()

    assert sent[0] < 32 * 1024 * 1024
    assert bytes(got) == whole


async def test_a_large_body_arrives_whole(recording) -> None:  # noqa: ANN001
    big = request(chat(("user", "long " * 4_000_000)))
    with ScriptedServer({CHAT: [read_body(), send(TOLD), hold()]}) as server:
        async with recording(url_of(server)) as running:
            reader, writer = await running.client()
            writer.write(big)
            await writer.drain()
            assert await reader.readexactly(len(TOLD)) == TOLD
            writer.close()
            (line,) = await running.lines()
        received = bytes(server.connections[CHAT][0].received)

    assert received == big
    assert line["sparktune"]["status"] == 200


async def test_bytes_that_are_no_http_pass_too(recording) -> None:  # noqa: ANN001
    upgrade = b"GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    switched = b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"

    def echo(connection: Connection) -> None:
        while b"\x00over" not in connection.received:
            assert connection.read()
        connection.sock.sendall(b"\x81\x05hello")

    with ScriptedServer({"/socket": [send(switched), echo, close()]}) as server:
        async with recording(url_of(server)) as running:
            reader, writer = await running.client()
            writer.write(upgrade)
            assert await reader.readexactly(len(switched)) == switched
            writer.write(b"\x82\x7f\x00over")
            assert await reader.read() == b"\x81\x05hello"
            writer.close()
            assert await running.lines() == []


async def test_a_server_that_is_not_there_is_a_502_and_said_once(recording) -> None:  # noqa: ANN001
    with ScriptedServer({}) as server:
        url = url_of(server)
    async with recording(url) as running:
        for _ in range(3):
            reader, writer = await running.client()
            writer.write(ASK)
            assert (await reader.read()).startswith(b"HTTP/1.1 502 Bad Gateway\r\n")
            writer.close()
        await running.until(lambda: not running.proxy.connections)
        said, lines = list(running.said), await running.lines()

    # It was not the client that left.
    assert [line["sparktune"]["end"] for line in lines] == ["server gone"] * 3
    assert len(said) == 1
    assert "cannot reach" in said[0]


async def test_tls_is_spoken_to_the_server_by_its_own_name(
    recording,  # noqa: ANN001
    certificates: Path,
    server_context: ssl.SSLContext,
) -> None:
    with ScriptedServer({CHAT: [read_body(), send(TOLD), hold()]}, tls=server_context) as server:
        async with recording(url_of(server, "https"), ca_file=str(certificates / "ca.pem")) as running:
            reader, writer = await running.client()
            writer.write(ASK)
            assert await reader.readexactly(len(TOLD)) == TOLD
            writer.close()
            (line,) = await running.lines()
        received = bytes(server.connections[CHAT][0].received)

    assert f"Host: {server.host}:{server.port}\r\n".encode() in received
    assert b"Authorization: Bearer very-secret" in received
    assert line["input_length"] == 7


async def test_two_hundred_streams_at_once_all_end_well(recording, reference: ReferenceProcess) -> None:  # noqa: ANN001
    body = chat(
        ("system", "be brief"), ("user", "count"), stream=True, max_tokens=12, stream_options={"include_usage": True}
    )

    async def one(running) -> bytes:  # noqa: ANN001
        reader, writer = await running.client()
        writer.get_extra_info("socket").setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        writer.write(request({**body, "model": "reference"}))
        got = await reader.readuntil(b"0\r\n\r\n")
        writer.close()
        return got

    async with recording(reference.base_url) as running:
        answers = await asyncio.gather(*(one(running) for _ in range(200)))
        lines = await running.lines()

    assert sum(got.count(b"data: [DONE]") for got in answers) == 200
    assert len(lines) == 200
    assert {(line["output_length"], line["sparktune"]["end"]) for line in lines} == {(12, "done")}
    assert json.dumps(lines).count("count") == 0
