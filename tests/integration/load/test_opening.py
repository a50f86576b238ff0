"""Connections that cannot be opened: each says why, none takes the others down, none takes long."""

import errno
import os
import socket
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager

import pytest
from tests.support.load import wave
from tests.support.scripted_server import ScriptedServer, hold, read_body, send

from sparktune.errors import ConnectFailed
from sparktune.io.load import connect
from sparktune.io.load.client import LoadClient
from sparktune.io.load.connect import _connect
from sparktune.io.load.names import Address
from sparktune.io.load.target import Limits, Target
from sparktune.io.load.wire import post_bytes
from sparktune.model.recording import End

_OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
_SCRIPTS = {"/": [read_body(), send(_OK), hold()]}
_LIMITS = Limits(connect_s=30.0, stall_s=30.0, timeout_s=60.0)


def _requests(target: Target, count: int = 1) -> list[bytes]:
    return [post_bytes(target, "/", {}, b"{}")] * count


@contextmanager
def _closed_port() -> Iterator[int]:
    """A port that is ours and refuses: bound, not listening."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        yield sock.getsockname()[1]


@contextmanager
def _full_port() -> Iterator[int]:
    """A port whose listen queue is full: what comes next is dropped without an answer."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        address = listener.getsockname()
        stack.enter_context(socket.create_connection(address))
        yield address[1]


def test_refused() -> None:
    with _closed_port() as port:
        target = Target(host="127.0.0.1", port=port)
        recordings = LoadClient(target, _LIMITS).run_wave(_requests(target, 6)).recordings

    assert [recording.end for recording in recordings] == [End.CONNECT] * 6
    assert {recording.detail for recording in recordings} == {os.strerror(errno.ECONNREFUSED)}
    assert all(recording.connect_start_ns > 0 for recording in recordings)
    assert {(recording.connected_ns, recording.send_start_ns, recording.data) for recording in recordings} == {
        (0, 0, b"")
    }


def test_no_answer() -> None:
    with _full_port() as port:
        target = Target(host="127.0.0.1", port=port)
        limits = Limits(connect_s=0.05, stall_s=30.0, timeout_s=60.0)
        recordings = LoadClient(target, limits).run_wave(_requests(target, 6)).recordings

    assert [recording.end for recording in recordings] == [End.CONNECT] * 6
    assert [recording.detail for recording in recordings] == [
        *["no answer within 50.0 ms"] * 4,
        *["not tried: no connection opened for 50.0 ms"] * 2,
    ]


def test_name_that_leads_nowhere() -> None:
    """The whole wave would fail alike: that is one error with a hint, not c failed requests."""
    target = Target(host="x" * 64 + ".example", port=8000)  # too long for a name: no resolver is asked
    with pytest.raises(ConnectFailed, match="cannot be resolved") as caught:
        LoadClient(target, _LIMITS).run_wave(_requests(target))

    assert caught.value.hint


def test_empty_wave() -> None:
    with pytest.raises(ValueError, match="at least one"):
        LoadClient(Target(host="127.0.0.1", port=1), _LIMITS).run_wave([])


def _resolve_to(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[str]:
    """Make every name lead to these addresses; the list that is returned fills with the names asked for."""
    asked: list[str] = []

    def resolve(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        asked.append(host)
        families = [socket.AF_INET6 if ":" in address else socket.AF_INET for address in addresses]
        return [
            (family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port))
            for family, address in zip(families, addresses, strict=True)
        ]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return asked


def test_next_address_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """``localhost`` often means ::1 first, while the server listens on 127.0.0.1 only."""
    asked = _resolve_to(monkeypatch, "127.0.0.2", "127.0.0.1")
    with ScriptedServer(_SCRIPTS) as server:
        target = Target(host="localhost", port=server.port)
        client = LoadClient(target, _LIMITS)
        ends = [recording.end for _ in range(2) for recording in client.run_wave(_requests(target, 6)).recordings]

    assert ends == [End.COMPLETE] * 12
    assert asked == ["localhost"]  # once for all connections and waves: a resolver takes its time


def test_last_address_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    _resolve_to(monkeypatch, "127.0.0.2", "127.0.0.1")
    with _closed_port() as port:
        target = Target(host="spark-1", port=port)
        (recording,) = LoadClient(target, _LIMITS).run_wave(_requests(target)).recordings

    assert (recording.end, recording.detail) == (End.CONNECT, os.strerror(errno.ECONNREFUSED))


def test_ipv6() -> None:
    try:
        server = ScriptedServer(_SCRIPTS, family=socket.AF_INET6)
    except OSError as error:
        pytest.skip(f"no IPv6 loopback here: {error}")
    with server:
        (recording,) = wave(server, ["/"]).recordings
        head = server.connections["/"][0].head

    assert recording.end is End.COMPLETE
    assert f"Host: [::1]:{server.port}".encode() in head


def test_all_connections_are_open_before_the_first_request() -> None:
    """Opening must not be part of what is measured."""
    with ScriptedServer(_SCRIPTS) as server:
        recordings = wave(server, ["/"] * 16).recordings

    assert max(recording.connected_ns for recording in recordings) <= min(
        recording.send_start_ns for recording in recordings
    )


def test_open_files_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of open files is the user's; the streams that found none say so, the others run."""
    tries: list[int] = []

    def connect_until_none_are_left(address: Address) -> Generator[tuple[int, int], None, socket.socket]:
        tries.append(1)
        if len(tries) > 5:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return (yield from _connect(address))

    monkeypatch.setattr(connect, "_connect", connect_until_none_are_left)
    with ScriptedServer(_SCRIPTS) as server:
        recordings = wave(server, ["/"] * 8).recordings

    assert [recording.end for recording in recordings] == [End.COMPLETE] * 5 + [End.CONNECT] * 3
    assert recordings[-1].detail == os.strerror(errno.EMFILE)
