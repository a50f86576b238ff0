"""One accepted connection: bytes in with their arrival instant, bytes out without ever waiting.

Source: Linux, Documentation/networking/timestamping.rst (software receive time stamps of SO_TIMESTAMPING).
"""

__all__ = ["Link", "stamp_arrivals"]

import select
import socket
import struct
from time import CLOCK_REALTIME, clock_gettime_ns, monotonic_ns
from typing import Protocol

from sparktune.io.reference.wire import RequestReader
from sparktune.units import NS_PER_S, Nanoseconds

_SO_TIMESTAMPING = 37  # asm-generic/socket.h: the same on x86_64 and arm64
_RX_SOFTWARE_AND_REPORT = (1 << 3) | (1 << 4)
_TIMESPEC = struct.Struct("@qq")
_READ_BYTES = 65_536
_CONTROL_BYTES = 256
_OLDEST_NS = NS_PER_S  # a stamp further back than this is a step of the wall clock, not a packet that waited
_WATCH_IN = select.EPOLLIN | select.EPOLLRDHUP


class _Answer(Protocol):
    """The answer that is being written on a connection."""

    def unblocked(self, at_ns: Nanoseconds) -> None:
        """Take note that what the socket did not take before is written."""

    def abandon(self) -> None:
        """End, since the client has left."""


class Link:
    """A connection and what it carries; ``busy`` while a request of it is being answered."""

    def __init__(self, sock: socket.socket, epoll: select.epoll) -> None:
        """Take over an accepted socket and watch it."""
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        stamp_arrivals(sock)
        self.sock = sock
        self.fd = sock.fileno()
        self.peer_port: int = sock.getpeername()[1]
        self.reader = RequestReader()
        self.arrived_ns: Nanoseconds | None = None
        self.received_ns = 0
        self.keep_alive = True
        self.busy: _Answer | None = None
        self.closed = False
        self._epoll = epoll
        self._send = sock.send
        self._pending = bytearray()
        self._last = False
        epoll.register(self.fd, _WATCH_IN)

    def receive(self) -> bool:
        """Read what is there into ``reader`` and note when it came; False when the peer has closed."""
        try:
            data, control, _, _ = self.sock.recvmsg(_READ_BYTES, _CONTROL_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.received_ns = monotonic_ns()
        self.arrived_ns = _arrival(control, self.received_ns)
        self.reader.feed(data)
        return bool(data)

    def send(self, data: bytes) -> bool:
        """Write now; what the socket does not take is kept for later and makes the answer False."""
        if self._pending:
            self._pending += data
            return False
        try:
            taken = self._send(data)
        except BlockingIOError:
            taken = 0
        except OSError:
            return True  # broken: the event loop hears of it and ends the request
        if taken == len(data):
            return True
        self._pending += data[taken:]
        self._epoll.modify(self.fd, _WATCH_IN | select.EPOLLOUT)
        return False

    def flush(self) -> None:
        """Go on with what the socket did not take before."""
        try:
            taken = self._send(self._pending)
        except OSError:
            return
        del self._pending[:taken]
        if self._pending:
            return
        if self.busy is not None:
            self.busy.unblocked(monotonic_ns())
        self._epoll.modify(self.fd, _WATCH_IN)
        if self._last:
            self.close()

    def finish(self) -> None:
        """Close once everything is written, unless the client wants to keep the connection."""
        self.busy = None
        if self.keep_alive:
            return
        self._last = True
        if not self._pending:
            self.close()

    def close(self, *, reset: bool = False) -> None:
        """Close now; ``reset`` sends RST instead of FIN."""
        if self.closed:
            return
        self.closed = True
        if reset:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._epoll.unregister(self.fd)
        self.sock.close()


def stamp_arrivals(sock: socket.socket) -> None:
    """Ask the kernel to note when packets for this socket arrive.

    While no socket of the host asks, the kernel notes nothing, and it begins a moment after the first one does. A
    socket that asks and stays open, such as the listening one, keeps it going.
    """
    sock.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPING, _RX_SOFTWARE_AND_REPORT)


def _arrival(control: list[tuple[int, int, bytes]], received_ns: Nanoseconds) -> Nanoseconds | None:
    for level, kind, data in control:
        if level == socket.SOL_SOCKET and kind == _SO_TIMESTAMPING and len(data) >= _TIMESPEC.size:
            seconds, nanoseconds = _TIMESPEC.unpack_from(data)
            if seconds == 0:
                return None
            arrived_ns = seconds * NS_PER_S + nanoseconds - _wall_minus_monotonic()
            return arrived_ns if received_ns - _OLDEST_NS < arrived_ns <= received_ns else None
    return None


def _wall_minus_monotonic() -> Nanoseconds:
    # The narrowest of three pairs: a preemption between the two clocks cannot pass as an offset.
    pairs = []
    for _ in range(3):
        before = monotonic_ns()
        wall = clock_gettime_ns(CLOCK_REALTIME)
        after = monotonic_ns()
        pairs.append((after - before, wall - (before + after) // 2))
    return min(pairs)[1]
