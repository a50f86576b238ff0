"""The same requests over TLS: verified, and with the kernel's stamps."""

import os
import socket
import ssl
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.load import CHUNKED
from tests.support.scripted_server import Connection, ScriptedServer, Step, hold, read_body, send

from sparktune.errors import UsageError
from sparktune.io.load.client import LoadClient
from sparktune.io.load.target import Limits, Target
from sparktune.io.load.wire import post_bytes
from sparktune.model.recording import End, Recording, StampSource

_LIMITS = Limits(connect_s=30.0, stall_s=30.0, timeout_s=60.0)
_WHOLE = CHUNKED + b"1\r\na\r\n0\r\n\r\n"


def _run(
    context: ssl.SSLContext | None, target: Target, steps: Sequence[Step], *, count: int = 1, body: bytes = b"{}"
) -> tuple[Sequence[Recording], list[Connection]]:
    with ScriptedServer({"/": steps}, tls=context) as server:
        there = Target(
            host=server.host, port=server.port, tls=True, server_name=target.server_name, ca_file=target.ca_file
        )
        wave = LoadClient(there, _LIMITS).run_wave([post_bytes(there, "/", {}, body)] * count)
    return wave.recordings, server.connections.get("/", [])


def _target(ca_file: str | Path = "", server_name: str = "") -> Target:
    return Target(host="", port=0, server_name=server_name, ca_file=str(ca_file))


def test_answers(certificates: Path, server_context: ssl.SSLContext) -> None:
    steps = [read_body(), send(_WHOLE), hold()]
    recordings, connections = _run(server_context, _target(certificates / "ca.pem"), steps, count=6)

    assert [(recording.end, recording.data) for recording in recordings] == [(End.COMPLETE, _WHOLE)] * 6
    assert {recording.source for recording in recordings} == {StampSource.KERNEL}
    assert [bytes(connection.received) for connection in connections] == [bytes(connections[0].received)] * 6


def test_only_http_1_1_is_offered(certificates: Path, server_context: ssl.SSLContext) -> None:
    """A server that prefers HTTP/2 must not get a chance to speak it to us."""
    spoken: list[str | None] = []

    def note(connection: Connection) -> None:
        assert isinstance(connection.sock, ssl.SSLSocket)
        spoken.append(connection.sock.selected_alpn_protocol())

    _run(server_context, _target(certificates / "ca.pem"), [note, read_body(), send(_WHOLE), hold()])

    assert spoken == ["http/1.1"]


def test_authority_from_the_environment(
    certificates: Path, server_context: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "ca.pem"))
    (recording,), _ = _run(server_context, _target(), [read_body(), send(_WHOLE), hold()])

    assert recording.end is End.COMPLETE


@pytest.mark.parametrize(
    ("trusted", "server_name", "why"),
    [
        (False, "", "unable to get local issuer certificate"),
        (True, "spark-1.example", "Hostname mismatch"),
        (True, "10.0.0.9", "IP address mismatch"),
    ],
)
def test_certificates_that_must_not_be_accepted(
    certificates: Path, server_context: ssl.SSLContext, *, trusted: bool, server_name: str, why: str
) -> None:
    target = _target(certificates / "ca.pem" if trusted else "", server_name)
    recordings, connections = _run(server_context, target, [], count=3)

    assert [recording.end for recording in recordings] == [End.TLS] * 3
    assert all(why in recording.detail for recording in recordings)
    assert all(recording.connected_ns > 0 and recording.send_start_ns == 0 for recording in recordings)
    assert connections == []


def test_name_that_the_certificate_carries(certificates: Path, server_context: ssl.SSLContext) -> None:
    """An address with a certificate for a name, as behind a tunnel."""
    (recording,), _ = _run(
        server_context, _target(certificates / "ca.pem", "localhost"), [read_body(), send(_WHOLE), hold()]
    )

    assert recording.end is End.COMPLETE


def test_server_without_tls() -> None:
    """The commonest mistake: https:// for a server that speaks http://."""
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor() as pool:
        pool.submit(_answer_in_plain, listener)
        target = Target(host="127.0.0.1", port=listener.getsockname()[1], tls=True)
        (recording,) = LoadClient(target, _LIMITS).run_wave([b"x"]).recordings

    assert recording.end is End.TLS
    assert "WRONG_VERSION_NUMBER" in recording.detail


def _answer_in_plain(listener: socket.socket) -> None:
    sock, _ = listener.accept()
    with sock:
        sock.recv(10)
        sock.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        while sock.recv(1000):
            pass


def test_server_that_never_shakes_hands() -> None:
    """A server that is stuck accepts connections (the kernel does) and then says nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=16) as listener:
        target = Target(host="127.0.0.1", port=listener.getsockname()[1], tls=True)
        # Long beside what opening itself takes: how far it has come when time is up is what is told.
        limits = Limits(connect_s=0.5, stall_s=30.0, timeout_s=60.0)
        recordings = LoadClient(target, limits).run_wave([b"x"] * 5).recordings

    assert [recording.end for recording in recordings] == [*[End.TLS] * 4, End.CONNECT]
    assert {recording.detail for recording in recordings[:4]} == {"no answer within 500.0 ms"}


def test_large_body_and_large_answer(certificates: Path, server_context: ssl.SSLContext) -> None:
    body, answer = os.urandom(600_000), os.urandom(400_000)
    steps = [read_body(), send(b"HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n" + answer), hold()]
    (recording,), (connection,) = _run(server_context, _target(certificates / "ca.pem"), steps, body=body)

    assert (recording.end, recording.data.endswith(answer), len(recording.data)) == (End.COMPLETE, True, 400_043)
    assert connection.body == body


@pytest.mark.parametrize("goodbye", [True, False], ids=["said goodbye", "just closed"])
def test_closed(certificates: Path, server_context: ssl.SSLContext, *, goodbye: bool) -> None:
    def end(connection: Connection) -> None:
        assert isinstance(connection.sock, ssl.SSLSocket)
        if goodbye:
            with suppress(OSError):  # we do not wait for the client's goodbye, it closes at ours
                connection.sock.unwrap()
        connection.sock.close()

    steps = [read_body(), send(b"HTTP/1.1 200 OK\r\n\r\nabc"), end]
    (recording,), _ = _run(server_context, _target(certificates / "ca.pem"), steps)

    assert (recording.end, recording.data) == (End.CLOSED, b"HTTP/1.1 200 OK\r\n\r\nabc")


@pytest.mark.parametrize("content", [None, b"no certificate"], ids=["absent", "not PEM"])
def test_ca_file_that_cannot_be_used(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_bytes(content)
    client = LoadClient(Target(host="127.0.0.1", port=1, tls=True, ca_file=str(file)), _LIMITS)
    with pytest.raises(UsageError, match=r"ca\.pem") as caught:
        client.run_wave([b"x"])

    assert caught.value.hint
