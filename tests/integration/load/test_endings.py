"""How a request can end, on real sockets: the end, the bytes that are kept, and what is said about it."""

import errno
import hashlib
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from tests.support.load import CHUNKED, payload, target_of, wave
from tests.support.scripted_server import ScriptedServer, Step, close, hold, read_body, reset, send, signal, until, wait

from sparktune.io.load.client import LoadClient
from sparktune.io.load.target import Limits
from sparktune.model.recording import End, Recording

_LENGTH_4 = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"
_CLOSES = b"HTTP/1.1 200 OK\r\n\r\n"
_HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
_DONE = b"0\r\n\r\n"
_NO_HURRY = Limits(connect_s=30.0, stall_s=30.0, timeout_s=60.0)
_IMPATIENT = Limits(connect_s=30.0, stall_s=0.05, timeout_s=60.0)
_STRICT = Limits(connect_s=30.0, stall_s=30.0, timeout_s=0.05)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    steps: Sequence[Step]
    end: End
    data: bytes
    detail: str = ""
    limits: Limits = field(default=_NO_HURRY)


_CASES = {
    "the server closes": _Case(steps=[send(_CLOSES + b"abc"), close()], end=End.CLOSED, data=_CLOSES + b"abc"),
    "chunked, connection kept": _Case(
        steps=[send(CHUNKED + b"1\r\na\r\n" + _DONE), hold()],
        end=End.COMPLETE,
        data=CHUNKED + b"1\r\na\r\n" + _DONE,
    ),
    "chunked, then closed": _Case(
        steps=[send(CHUNKED + b"1\r\na\r\n" + _DONE), close()],
        end=End.COMPLETE,
        data=CHUNKED + b"1\r\na\r\n" + _DONE,
    ),
    "chunked, cut": _Case(steps=[send(CHUNKED + b"5\r\nab"), close()], end=End.CLOSED, data=CHUNKED + b"5\r\nab"),
    "length, connection kept": _Case(
        steps=[send(_LENGTH_4 + b"abcd"), hold()], end=End.COMPLETE, data=_LENGTH_4 + b"abcd"
    ),
    "interim answer first": _Case(
        steps=[send(_HINTS), send(_LENGTH_4 + b"abcd"), hold()], end=End.COMPLETE, data=_HINTS + _LENGTH_4 + b"abcd"
    ),
    "closed without a word": _Case(steps=[close()], end=End.CLOSED, data=b""),
    "no HTTP": _Case(steps=[send(b"hello\n"), close()], end=End.CLOSED, data=b"hello\n"),
    "nothing comes": _Case(
        steps=[hold()], end=End.STALL, data=b"", detail="nothing arrived for 50.0 ms", limits=_IMPATIENT
    ),
    "it sends more than anybody asked for": _Case(
        steps=[send(b"x" * 1_000), hold()],
        end=End.RESET,
        data=b"x" * 1_000,
        detail="given up: more than 500 bytes arrived",
        limits=Limits(received_bytes=500),
    ),
    "it takes too long": _Case(
        steps=[hold()], end=End.TIMEOUT, data=b"", detail="not over after 50.0 ms", limits=_STRICT
    ),
}


@pytest.mark.parametrize("case", _CASES.values(), ids=_CASES)
def test_end(case: _Case) -> None:
    with ScriptedServer({"/": [read_body(), *case.steps]}) as server:
        (recording,) = wave(server, ["/"], case.limits).recordings

    assert (recording.end, recording.data, recording.detail) == (case.end, case.data, case.detail)
    assert 0 < recording.connect_start_ns <= recording.connected_ns <= recording.send_start_ns
    assert recording.send_start_ns <= recording.send_end_ns <= recording.end_ns


def _one_with(steps: Sequence[Step], client: LoadClient, server: ScriptedServer, body: bytes = b"{}") -> Recording:
    server.scripts["/"] = steps
    with server:
        (recording,) = client.run_wave([payload(server, "/", body)]).recordings
    return recording


def _client_of(server: ScriptedServer, limits: Limits = _NO_HURRY) -> LoadClient:
    return LoadClient(target_of(server), limits)


def test_end_of_chunks_split_over_reads() -> None:
    """The last seven bytes may come one by one; each is a read of its own."""
    server = ScriptedServer({})
    client = _client_of(server)
    whole = CHUNKED + b"1\r\na\r\n" + _DONE
    steps: list[Step] = [read_body(), send(whole[:-7])]
    for count in range(len(whole) - 7, len(whole)):
        steps += [until(lambda count=count: client.progress().bytes_received >= count), send(whole[count : count + 1])]
    recording = _one_with([*steps, hold()], client, server)

    assert (recording.end, recording.data) == (End.COMPLETE, whole)
    assert list(recording.read_ends) == list(range(len(whole) - 7, len(whole) + 1))


def test_reset_keeps_what_was_read() -> None:
    server = ScriptedServer({})
    client = _client_of(server)
    part = CHUNKED + b"5\r\nab"
    steps = [read_body(), send(part), until(lambda: client.progress().bytes_received >= len(part)), reset()]
    recording = _one_with(steps, client, server)

    assert (recording.end, recording.data) == (End.RESET, part)
    assert recording.detail == os.strerror(errno.ECONNRESET)


@pytest.mark.parametrize(
    "head", [b"HTTP/1.1 413 Too Large\r\nContent-Length: 8\r\n\r\n", b"HTTP/1.1 413 Too Large\r\n\r\n"]
)
def test_refused_during_a_large_upload(head: bytes) -> None:
    """The server answers and closes without reading the prompt: its answer is what the user needs to see."""
    server = ScriptedServer({})
    recording = _one_with([send(head + b'{"e":"x"'), close()], _client_of(server), server, b"x" * 20_000_000)

    assert recording.data == head + b'{"e":"x"'
    assert recording.end in {End.COMPLETE, End.CLOSED, End.RESET}
    assert recording.send_end_ns == 0


def test_upload_that_nobody_reads() -> None:
    """A server that reads nothing stalls the request as one that sends nothing does."""
    server = ScriptedServer({})
    gone = threading.Event()
    client = LoadClient(target_of(server), _IMPATIENT, on_request=lambda _index, _recording: gone.set())
    recording = _one_with([wait(gone)], client, server, b"x" * 20_000_000)

    assert (recording.end, recording.detail) == (End.STALL, "the server did not read on for 50.0 ms")
    assert recording.send_end_ns == 0


def test_large_body_arrives_whole_beside_other_streams() -> None:
    """A prompt of 600 KB does not fit into a socket at once; others must not wait until it is through."""
    body = os.urandom(600_000)
    small_done = threading.Event()
    scripts: dict[str, Sequence[Step]] = {
        "/large": [wait(small_done), read_body(), send(_LENGTH_4 + b"abcd"), hold()],
        "/small": [read_body(), send(_LENGTH_4 + b"efgh"), hold(), signal(small_done)],
    }
    with ScriptedServer(scripts) as server:
        payloads = [payload(server, "/large", body), payload(server, "/small")]
        large, small = LoadClient(target_of(server), _NO_HURRY).run_wave(payloads).recordings
        received = server.connections["/large"][0].body

    assert (large.end, small.end) == (End.COMPLETE, End.COMPLETE)
    assert hashlib.sha256(received).digest() == hashlib.sha256(body).digest()
    assert large.send_start_ns <= small.send_start_ns
    assert large.send_end_ns > 0


def test_large_answer_in_many_reads() -> None:
    answer = os.urandom(3_000_000)
    with ScriptedServer({"/": [read_body(), send(_CLOSES + answer), close()]}) as server:
        (recording,) = wave(server, ["/"]).recordings

    assert recording.data == _CLOSES + answer
    assert list(recording.read_ends) == sorted(set(recording.read_ends))


def test_one_dead_among_many() -> None:
    scripts = {"/": [read_body(), send(_LENGTH_4 + b"abcd"), hold()], "/dead": [read_body(), reset()]}
    paths = ["/dead" if place == 7 else "/" for place in range(24)]
    with ScriptedServer(scripts) as server:
        recordings = wave(server, paths).recordings

    assert [recording.end for recording in recordings] == [
        End.RESET if place == 7 else End.COMPLETE for place in range(24)
    ]
