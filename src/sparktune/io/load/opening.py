"""Open every connection of a wave before any of its requests is sent.

Few at a time: a server whose listen queue is short drops what comes at once, and the kernel tries a dropped connection
again only after a second.
"""

__all__ = ["open_streams"]

import errno
import select
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sparktune.io.load.connect import Steps
from sparktune.io.load.stream import Stream
from sparktune.model.recording import End
from sparktune.units import NS_PER_S, Nanoseconds, Seconds, format_seconds

_AT_ONCE = 4


def open_streams(streams: Sequence[Stream], start: Callable[[Stream], Steps], limit_s: Seconds, wake_fd: int) -> None:
    """Open the streams by the steps that ``start`` gives; each is then attached, or has ended.

    A step that waits longer than ``limit_s`` fails. When nothing at all has opened meanwhile, the streams that have not
    been tried fail with it, so that a dead host costs one limit. A readable ``wake_fd`` ends all with STOPPED.
    """
    with select.epoll() as epoll:
        epoll.register(wake_fd, select.EPOLLIN)
        _Opening(epoll, deque(streams), start, round(limit_s * NS_PER_S)).run(wake_fd)


@dataclass(slots=True)
class _Waiting:
    stream: Stream
    steps: Steps
    since_ns: Nanoseconds


class _Opening:
    def __init__(
        self, epoll: select.epoll, untried: deque[Stream], start: Callable[[Stream], Steps], limit_ns: Nanoseconds
    ) -> None:
        self._epoll = epoll
        self._untried = untried
        self._start = start
        self._limit_ns = limit_ns
        self._waiting: dict[int, _Waiting] = {}
        self._last_open_ns: Nanoseconds = 0

    def run(self, wake_fd: int) -> None:
        while self._fill():
            oldest_ns = min(waiting.since_ns for waiting in self._waiting.values())
            left_ns = oldest_ns + self._limit_ns - time.monotonic_ns()
            events = self._epoll.poll(max(0.0, left_ns / NS_PER_S))
            if any(fd == wake_fd for fd, _ in events):
                self._stop()
                return
            for fd, _ in events:
                self._advance(self._release(fd))
            self._expire()

    def _fill(self) -> bool:
        while self._untried and len(self._waiting) < _AT_ONCE:
            stream = self._untried.popleft()
            self._advance(_Waiting(stream, self._start(stream), 0))
        return bool(self._waiting)

    def _advance(self, waiting: _Waiting, failure: OSError | None = None) -> None:
        try:
            fd, event = waiting.steps.throw(failure) if failure else next(waiting.steps)
        except StopIteration:
            if waiting.stream.end is None:
                self._last_open_ns = time.monotonic_ns()
            return
        waiting.since_ns = time.monotonic_ns()
        self._epoll.register(fd, event)
        self._waiting[fd] = waiting

    def _release(self, fd: int) -> _Waiting:
        self._epoll.unregister(fd)
        return self._waiting.pop(fd)

    def _expire(self) -> None:
        now = time.monotonic_ns()
        late = [fd for fd, waiting in self._waiting.items() if now - waiting.since_ns >= self._limit_ns]
        for fd in late:
            waiting = self._release(fd)
            began_ns = waiting.since_ns
            limit = format_seconds(self._limit_ns / NS_PER_S)
            self._advance(waiting, TimeoutError(errno.ETIMEDOUT, f"no answer within {limit}"))
            if waiting.stream.end is not None and self._last_open_ns < began_ns:
                for stream in self._untried:
                    stream.finish(End.CONNECT, now, f"not tried: no connection opened for {limit}")
                self._untried.clear()

    def _stop(self) -> None:
        now = time.monotonic_ns()
        for waiting in self._waiting.values():
            waiting.steps.close()
            waiting.stream.finish(End.STOPPED, now)
        for stream in self._untried:
            stream.finish(End.STOPPED, now)
