"""A recording that dies, has no room, or starts beside odd files disturbs no stream that passes."""

import os
import signal
import threading
from pathlib import Path

import pytest
from tests.support.proxied import ASK, CHAT, FIRST, HEAD, LAST, TOLD, chunk, url_of
from tests.support.scripted_server import (
    ScriptedServer,
    hold,
    read_body,
    send,
    wait,
)

from sparktune.io.record.trace_file import TraceFile


async def test_modules_of_the_folder_that_one_is_in_are_not_run(
    recording,  # noqa: ANN001
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The folder of somebody's project may well have a struct.py or a signal.py."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "msgspec.py").write_text("raise SystemExit('not ours')\n")
    with ScriptedServer({}) as server:
        url = url_of(server)
    async with recording(url) as running:
        reader, writer = await running.client()
        writer.write(ASK)
        await reader.read()
        writer.close()
        await running.until(lambda: not running.proxy.connections)
        assert len(await running.lines()) == 1
        assert not running.child.broken


async def test_a_recording_that_dies_stops_no_stream(recording) -> None:  # noqa: ANN001
    seen = threading.Event()
    steps = [read_body(), send(HEAD + chunk(FIRST)), wait(seen), send(chunk(LAST) + b"0\r\n\r\n"), hold()]
    with ScriptedServer({CHAT: steps}) as server:
        async with recording(url_of(server)) as running:
            reader, writer = await running.client()
            writer.write(ASK)
            await reader.readuntil(b"one")
            assert running.child._process is not None
            os.kill(running.child._process.pid, signal.SIGKILL)
            await running.until(lambda: bool(running.child.broken))
            seen.set()
            assert (await reader.readuntil(b"0\r\n\r\n")).endswith(b"[DONE]\n\n\r\n0\r\n\r\n")
            second = await running.client()
            second[1].write(ASK)
            await second[0].readuntil(b"0\r\n\r\n")  # to its end: a server that still sends would find nobody
            for one in (writer, second[1]):
                one.close()
            said = list(running.said)

    assert len(said) == 1
    assert "nothing more is recorded" in said[0]


async def test_a_full_disk_stops_no_stream(recording, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ANN001
    monkeypatch.setattr(TraceFile, "create", staticmethod(lambda _path: os.open("/dev/full", os.O_WRONLY)))
    with ScriptedServer({CHAT: [read_body(), send(TOLD), hold()]}) as server:
        async with recording(url_of(server)) as running:
            for _ in range(2):
                reader, writer = await running.client()
                writer.write(ASK)
                assert await reader.readexactly(len(TOLD)) == TOLD
                writer.close()
            running.proxy.close_all()
            await running.child.end(0)
            said, tally = list(running.said), running.child.tally

    assert (tally.requests, tally.unwritten) == (0, 2)
    assert [word in said[0] for word in ("No space left", "passed on")] == [True, True]
    assert len([line for line in said if "cannot write" in line]) == 1
