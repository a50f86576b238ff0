"""The way from the proxy to the recording process: copies of bytes, never waited for."""

__all__ = ["Feed"]

import asyncio
import socket
from collections.abc import Callable

from sparktune.io.record.frames import Kind, frame_head
from sparktune.units import Bytes, Nanoseconds, Seconds

_MOST_WAITING_BYTES: Bytes = 256 * 1024 * 1024
_SOCKET_BYTES: Bytes = 4 * 1024 * 1024
_SEND_BYTES: Bytes = 256 * 1024  # at once: a longer copy would hold up the streams
_EVERY_S: Seconds = 0.02


class Feed:
    """Sends frames without ever blocking, some milliseconds of them together: waking somebody up costs a stream more.

    What the other side does not take yet waits, up to a bound; beyond it connections are told as skipped, and their
    bytes pass unrecorded. When the other side is gone ``failed`` is called once, and everything afterwards is dropped.
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
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._sending = memoryview(b"")
        self._flushing = False
        self._skipped: set[int] = set()
        self._loop = asyncio.get_running_loop()

    def tell(self, kind: Kind, connection: int, at_ns: Nanoseconds, data: bytes = b"") -> None:
        """Take one frame; costs about a microsecond."""
        if self._sock is None or connection in self._skipped:
            return
        if self._waiting_bytes > self._most and kind in {Kind.UP, Kind.DOWN, Kind.OPENED}:
            self._skipped.add(connection)
            kind, data = Kind.SKIPPED, b""
        self._waiting += (frame_head(kind, connection, at_ns, len(data)), data)
        self._waiting_bytes += len(data)
        if not self._flushing:
            self._flushing = True
            self._loop.call_later(_EVERY_S, self._flush)

    def close(self) -> None:
        """Hang up; what waits is dropped."""
        sock, self._sock = self._sock, None
        self._waiting.clear()
        self._sending = memoryview(b"")
        if sock is not None:
            self._loop.remove_writer(sock)
            sock.close()

    def _flush(self) -> None:
        """Send one piece; what is left goes when the other side has taken it."""
        if self._sock is None:
            return
        if not self._sending:
            self._sending = memoryview(b"".join(self._waiting))
            self._waiting, self._waiting_bytes = [], 0
        try:
            self._sending = self._sending[self._sock.send(self._sending[:_SEND_BYTES]) :]
        except BlockingIOError:
            pass
        except OSError as error:
            self.close()
            self._failed(error.strerror or str(error))
            return
        if self._sending or self._waiting:
            self._loop.add_writer(self._sock, self._flush)
        else:
            self._loop.remove_writer(self._sock)
            self._flushing = False
