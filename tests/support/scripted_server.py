"""A server that plays a script per path: what it reads, sends and waits for is a list of steps in the test."""

__all__ = [
    "Connection",
    "ScriptedServer",
    "Step",
    "close",
    "hold",
    "read_body",
    "reset",
    "send",
    "signal",
    "until",
    "wait",
    "wait_until",
]

import contextlib
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self

_PATIENCE_S = 30.0  # a test that waits longer is broken; nothing waits this long when it is not
_BLOCK = 65_536


class Connection:
    """The server's end of one connection, with the request as far as it was read."""

    def __init__(self, sock: socket.socket) -> None:
        """Take over the socket."""
        self.sock = sock
        self.received = bytearray()
        self.writes: list[tuple[int, int]] = []  # monotonic nanoseconds before and after each send

    @property
    def head(self) -> bytes:
        """The request's head without the empty line."""
        return bytes(self.received).partition(b"\r\n\r\n")[0]

    @property
    def body(self) -> bytes:
        """The request's body as far as it was read."""
        return bytes(self.received).partition(b"\r\n\r\n")[2]

    @property
    def path(self) -> str:
        """The path that the request asks for."""
        return self.head.split(b" ")[1].decode()

    def read(self) -> bool:
        """Take what is there; false at the end."""
        data = self.sock.recv(_BLOCK)
        self.received += data
        return bool(data)


Step = Callable[[Connection], None]


def read_body() -> Step:
    """Read the whole request."""

    def step(connection: Connection) -> None:
        lengths = [line for line in connection.head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        while len(connection.body) < int(lengths[0].partition(b":")[2]):
            assert connection.read(), "the request ended early"

    return step


def send(data: bytes) -> Step:
    """Send the bytes in one piece."""

    def step(connection: Connection) -> None:
        before = time.monotonic_ns()
        connection.sock.sendall(data)
        connection.writes.append((before, time.monotonic_ns()))

    return step


def wait(event: threading.Event) -> Step:
    """Wait until the test, or another script, sets the event."""

    def step(_connection: Connection) -> None:
        assert event.wait(_PATIENCE_S), "nobody set the event"

    return step


def signal(event: threading.Event) -> Step:
    """Set the event."""
    return lambda _connection: event.set()


def until(condition: Callable[[], bool]) -> Step:
    """Wait until something is true about the client."""
    return lambda _connection: wait_until(condition)


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait in the test itself."""
    deadline = time.monotonic() + _PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it never became true"
        time.sleep(0.001)


def hold() -> Step:
    """Keep the connection open until the client lets go of it."""

    def step(connection: Connection) -> None:
        with contextlib.suppress(ConnectionError):
            while connection.read():
                pass

    return step


def close() -> Step:
    """Close the connection in order."""
    return lambda connection: connection.sock.close()


def reset() -> Step:
    """Break the connection: the client gets a RST."""

    def step(connection: Connection) -> None:
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.sock.close()

    return step


class ScriptedServer:
    """Serves inside a ``with`` block; each connection has a thread. A step that failed fails the test at the end."""

    def __init__(
        self,
        scripts: Mapping[str, Sequence[Step]],
        *,
        family: socket.AddressFamily = socket.AF_INET,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Keep the steps for each path; they start when the head of a request is there."""
        self.scripts = dict(scripts)
        self.connections: dict[str, list[Connection]] = {}
        self._tls = tls
        self._failures: list[BaseException] = []
        self._threads: list[threading.Thread] = []
        self._accepted: list[socket.socket] = []
        address = "::1" if family is socket.AF_INET6 else "127.0.0.1"
        self._listener = socket.create_server((address, 0), family=family, backlog=512)
        self.host, self.port = self._listener.getsockname()[:2]

    def __enter__(self) -> Self:
        """Start to accept."""
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Stop, and raise the first failure of a script unless the test has failed already."""
        self._listener.shutdown(socket.SHUT_RDWR)
        for sock in self._accepted:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(_PATIENCE_S)
        self._listener.close()
        if kind is None and self._failures:
            raise self._failures[0]

    def _start(self, target: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=self._guard, args=(target, *arguments), daemon=True)
        self._threads.append(thread)
        thread.start()

    def _guard(self, target: Callable[..., None], *arguments: object) -> None:
        try:
            target(*arguments)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test gets it
            self._failures.append(error)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                sock, _ = self._listener.accept()
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._accepted.append(sock)
                self._start(self._serve, sock)

    def _serve(self, raw: socket.socket) -> None:
        with raw:
            try:
                sock = self._tls.wrap_socket(raw, server_side=True) if self._tls else raw
            except OSError:
                return  # a client that does not trust us
            with sock:
                connection = Connection(sock)
                while b"\r\n\r\n" not in connection.received:
                    if not connection.read():
                        return
                self.connections.setdefault(connection.path, []).append(connection)
                for step in self.scripts[connection.path]:
                    step(connection)
