"""The way from the proxy to the recording process: copies of bytes, never waited for."""

__all__ = ["Feed"]

import asyncio
import socket
from collections import deque
from collections.abc import Callable

from sparktune.io.record.frames import Kind, frame_head
from sparktune.units import Bytes, Nanoseconds

_MOST_WAITING_BYTES: Bytes = 256 * 1024 * 1024
_SOCKET_BYTES: Bytes = 4 * 1024 * 1024


class Feed:
    """Sends frames without ever blocking. What the other side does not take yet waits, up to a bound.

    Beyond it connections are told as skipped, and their bytes pass unrecorded. When the other side is gone ``failed``
    is called once, and everything afterwards is dropped.
    """

    def __init__(
        self, sock: socket.socket, failed: Callable[[str], None], *, most_waiting: Bytes = _MOST_WAITING_BYTES
    ) -> None:
        """Take over one end of a socket pair."""
        sock.setblocking(False)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SOCKET_BYTES)
        self._sock: socket.socket | None = sock
        self._failed = failed
        self._most = most_waiting
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._skipped: set[int] = set()
        self._loop = asyncio.get_running_loop()

    @property
    def alive(self) -> bool:
        """Whether anybody takes frames."""
        return self._sock is not None

    def tell(self, kind: Kind, connection: int, at_ns: Nanoseconds, data: bytes = b"") -> None:
        """Send one frame; costs some microseconds."""
        sock = self._sock
        if sock is None or connection in self._skipped:
            return
        head = frame_head(kind, connection, at_ns, len(data))
        if self._waiting:
            self._wait(kind, connection, at_ns, (head, data))
            return
        try:
            sent = sock.sendmsg((head, data))
        except BlockingIOError:
            sent = 0
        except OSError as error:
            self._fail(error)
            return
        if sent < len(head) + len(data):
            self._loop.add_writer(sock, self._flush)
            self._put((head + data)[sent:])

    def close(self) -> None:
        """Hang up; what waits is dropped."""
        sock, self._sock = self._sock, None
        self._waiting.clear()
        if sock is not None:
            self._loop.remove_writer(sock)
            sock.close()

    def _wait(self, kind: Kind, connection: int, at_ns: Nanoseconds, parts: tuple[bytes, bytes]) -> None:
        if self._waiting_bytes > self._most and kind in {Kind.UP, Kind.DOWN, Kind.OPENED}:
            self._skipped.add(connection)
            parts = (frame_head(Kind.SKIPPED, connection, at_ns), b"")
        self._put(b"".join(parts))

    def _put(self, data: bytes) -> None:
        self._waiting.append(data)
        self._waiting_bytes += len(data)

    def _flush(self) -> None:
        sock = self._sock
        if sock is None:
            return
        try:
            while self._waiting:
                first = self._waiting[0]
                sent = sock.send(first)
                self._waiting_bytes -= sent
                if sent < len(first):
                    self._waiting[0] = first[sent:]
                    return
                self._waiting.popleft()
        except BlockingIOError:
            return
        except OSError as error:
            self._fail(error)
            return
        self._loop.remove_writer(sock)

    def _fail(self, error: OSError) -> None:
        self.close()
        self._failed(error.strerror or str(error))
