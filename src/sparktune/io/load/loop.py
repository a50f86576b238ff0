"""The loop of a wave: send everything back to back, then read until every stream is over.

Everything in it serves one end: that no packet waits long to be read. The kernel's stamp of a read is that of its last
packet, so a packet that waits until the next one comes loses its own. Nothing is parsed, finished requests are handed
over only when no socket is readable, and clocks and limits are looked at ten times a second.
"""

__all__ = ["WaveLoop"]

import select
import time
from collections import deque
from collections.abc import Callable, Sequence

from sparktune.io.load.stream import Stream
from sparktune.io.load.target import Limits
from sparktune.model.recording import End
from sparktune.units import NS_PER_S, Nanoseconds, format_seconds

_TICK_S = 0.1
_TICK_NS = 100_000_000


class WaveLoop:
    """Runs the streams of one wave; those that have already ended are only handed over.

    ``tick`` is called about every 100 ms, ``hand_over`` once for each stream that ended, in the order of ending.
    """

    def __init__(
        self,
        streams: Sequence[Stream],
        limits: Limits,
        *,
        wake_fd: int,
        tick: Callable[[], None],
        hand_over: Callable[[Stream], None],
    ) -> None:
        """Hold what belongs to the wave; nothing is sent yet."""
        self._open = {stream.sock.fileno(): stream for stream in streams if stream.sock is not None}
        self._ended = deque(stream for stream in streams if stream.sock is None)
        self._limits = limits
        self._wake_fd = wake_fd
        self._tick = tick
        self._hand_over = hand_over
        self._next_tick_ns: Nanoseconds = 0

    def run(self) -> None:
        """Send and read until all streams are over and handed over.

        Whatever ends it, every stream has then ended (STOPPED where it was under way) and was handed over.
        """
        try:
            with select.epoll() as epoll:
                self._send_all(epoll)
                self._read_all(epoll)
            self._tick()
        finally:
            self._stop(time.monotonic_ns())
            while self._ended:
                self._hand_over(self._ended.popleft())

    def _send_all(self, epoll: select.epoll) -> None:
        epoll.register(self._wake_fd, select.EPOLLIN)
        if epoll.poll(0):  # stopped while connections were opened: nothing is sent any more
            return
        clock = time.monotonic_ns
        for fd, stream in self._open.items():
            sent = stream.send(clock)
            epoll.register(fd, select.EPOLLIN if sent else select.EPOLLIN | select.EPOLLOUT)

    def _read_all(self, epoll: select.epoll) -> None:
        poll, clock, streams, only_in = epoll.poll, time.monotonic_ns, self._open, select.EPOLLIN
        most = len(streams) + 1
        while self._open:
            events = poll(0 if self._ended else _TICK_S, most)
            woke_ns = clock()
            for fd, event in events:
                if event != only_in or fd not in streams:
                    self._unusual(epoll, fd, event, woke_ns)
                elif streams[fd].read(woke_ns):
                    self._ended.append(streams.pop(fd))
            if woke_ns >= self._next_tick_ns:
                self._look_around(woke_ns)
            elif not events and self._ended:
                self._hand_over(self._ended.popleft())

    def _unusual(self, epoll: select.epoll, fd: int, event: int, woke_ns: Nanoseconds) -> None:
        if fd == self._wake_fd:
            self._stop(woke_ns)
            return
        stream = self._open.get(fd)
        if stream is None:  # stopped a moment ago
            return
        # Read before anything is sent: an answer that came early is kept, whatever becomes of the request.
        if event & ~select.EPOLLOUT and stream.read(woke_ns):
            self._ended.append(self._open.pop(fd))
        elif event & select.EPOLLOUT and stream.send(time.monotonic_ns):
            epoll.modify(fd, select.EPOLLIN)

    def _look_around(self, now_ns: Nanoseconds) -> None:
        self._next_tick_ns = now_ns + _TICK_NS
        self._tick()
        stall_ns, timeout_ns = round(self._limits.stall_s * NS_PER_S), round(self._limits.timeout_s * NS_PER_S)
        for fd, stream in tuple(self._open.items()):
            if now_ns - stream.send_start_ns >= timeout_ns:
                stream.finish(End.TIMEOUT, now_ns, f"not over after {format_seconds(self._limits.timeout_s)}")
            elif now_ns - stream.last_heard_ns >= stall_ns:
                self._stalled(stream, now_ns)
            elif stream.received_bytes >= self._limits.received_bytes:
                stream.finish(End.RESET, now_ns, f"given up: more than {self._limits.received_bytes} bytes arrived")
            if stream.end is not None:
                self._ended.append(self._open.pop(fd))

    def _stalled(self, stream: Stream, now_ns: Nanoseconds) -> None:
        # Look once more: it may have been this process that stood still.
        reads = len(stream.ends)
        if not stream.read(now_ns) and len(stream.ends) == reads:
            what = "nothing arrived" if stream.send_end_ns else "the server did not read on"
            stream.finish(End.STALL, now_ns, f"{what} for {format_seconds(self._limits.stall_s)}")

    def _stop(self, now_ns: Nanoseconds) -> None:
        for stream in self._open.values():
            stream.finish(End.STOPPED, now_ns)
            self._ended.append(stream)
        self._open.clear()
