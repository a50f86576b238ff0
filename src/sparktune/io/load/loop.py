"""The loop of a wave: send back to back what belongs together, then read until every stream is over.

Everything in it serves one end: that no packet waits long to be read. The kernel's stamp of a read is that of its last
packet, so a packet that waits until the next one comes loses its own. Nothing is parsed, finished requests are handed
over only when no socket is readable and nothing is about to be sent, and clocks and limits are looked at ten times a
second.
"""

__all__ = ["WaveLoop"]

import select
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from sparktune.io.load.late import LateStreams
from sparktune.io.load.stream import Stream
from sparktune.io.load.target import Limits
from sparktune.model.recording import End
from sparktune.units import NS_PER_S, Nanoseconds, format_seconds

_TICK_S = 0.1
_TICK_NS = 100_000_000
_NEAR_S = 0.005  # handing over a large answer may take as long


class WaveLoop:
    """Runs the streams of one wave; those that have already ended are only handed over.

    ``tick`` is called about every 100 ms, ``hand_over`` once for each stream that ended, in the order of ending.
    ``late`` has the streams that are not to be sent at the beginning.
    """

    def __init__(
        self,
        streams: Sequence[Stream],
        limits: Limits,
        *,
        wake_fd: int,
        tick: Callable[[], None],
        hand_over: Callable[[Stream], None],
        late: LateStreams | None = None,
    ) -> None:
        """Hold what belongs to the wave; nothing is sent yet."""
        self._open = {stream.sock.fileno(): stream for stream in streams if stream.sock is not None}
        self._ended = deque(stream for stream in streams if stream.end is not None)
        self._late = late
        self._most_events = len(streams) + 1
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
        began_ns = time.monotonic_ns()
        for fd, stream in self._open.items():
            self._send(epoll, fd, stream)
        if self._late is not None:
            self._late.begin(min((stream.send_start_ns for stream in self._open.values()), default=began_ns))

    def _send(self, epoll: select.epoll, fd: int, stream: Stream) -> None:
        sent = stream.send(time.monotonic_ns)
        epoll.register(fd, select.EPOLLIN if sent else select.EPOLLIN | select.EPOLLOUT)

    def _read_all(self, epoll: select.epoll) -> None:
        poll, clock, streams, only_in = epoll.poll, time.monotonic_ns, self._open, select.EPOLLIN
        most, late = self._most_events, self._late
        while self._open or late:
            wait_s = _TICK_S if late is None else late.wait_s(clock(), _TICK_S)
            events = poll(0 if self._ended else wait_s, most)
            woke_ns = clock()
            for fd, event in events:
                if event != only_in or fd not in streams:
                    self._unusual(epoll, fd, event, woke_ns)
                elif streams[fd].read(woke_ns):
                    self._ended.append(streams.pop(fd))
            if late is not None:
                self._start(epoll, late.step(woke_ns, epoll))
            if woke_ns >= self._next_tick_ns:
                self._look_around(epoll, woke_ns)
            elif not events and self._ended and not (late and late.wait_s(woke_ns, _NEAR_S) < _NEAR_S):
                self._hand_over(self._ended.popleft())

    def _start(self, epoll: select.epoll, streams: Iterable[Stream]) -> None:
        """Send late streams; one whose connection failed has ended."""
        for stream in streams:
            if stream.sock is None:
                self._ended.append(stream)
                continue
            fd = stream.sock.fileno()
            self._open[fd] = stream
            self._send(epoll, fd, stream)

    def _unusual(self, epoll: select.epoll, fd: int, event: int, woke_ns: Nanoseconds) -> None:
        if fd == self._wake_fd:
            self._stop(woke_ns)
            return
        if self._late is not None and self._late.owns(fd):
            self._start(epoll, self._late.event(fd, woke_ns, epoll))
            return
        stream = self._open.get(fd)
        if stream is None:  # stopped a moment ago
            return
        # Read before anything is sent: an answer that came early is kept, whatever becomes of the request.
        if event & ~select.EPOLLOUT and stream.read(woke_ns):
            self._ended.append(self._open.pop(fd))
        elif event & select.EPOLLOUT and stream.send(time.monotonic_ns):
            epoll.modify(fd, select.EPOLLIN)

    def _look_around(self, epoll: select.epoll, now_ns: Nanoseconds) -> None:
        self._next_tick_ns = now_ns + _TICK_NS
        self._tick()
        if self._late is not None:
            self._start(epoll, self._late.expire(now_ns, epoll))
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
        if self._late is not None:
            self._ended.extend(self._late.stop(now_ns))
