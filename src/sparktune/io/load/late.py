"""The streams of a wave that are sent later: by a timer, or when another stream is so far.

Each is connected shortly before it is due, not with the others: a server may give an idle connection a thread, or
close it after some seconds.
"""

__all__ = ["LateStreams"]

import errno
import heapq
import select
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sparktune.io.load.connect import Steps
from sparktune.io.load.stream import Stream
from sparktune.model.arrival import Start
from sparktune.model.recording import End
from sparktune.units import NS_PER_S, Nanoseconds, Seconds, format_seconds

# Long enough for a handshake in a local network, TLS too; short enough for a server not to lose its patience.
_LEAD_NS: Nanoseconds = 200_000_000
# epoll waits for whole milliseconds: the rest of one is spent looking.
_NS_PER_MS: Nanoseconds = 1_000_000


@dataclass(slots=True)
class _Opening:
    stream: Stream
    steps: Steps
    since_ns: Nanoseconds


class LateStreams:
    """Knows which stream is due when; the loop asks it after every look at the sockets.

    ``starts`` belong to ``streams`` by place; those at once are not its own. ``connect`` gives the steps that open a
    stream, ``limit_s`` how long one may take.
    """

    def __init__(
        self, streams: Sequence[Stream], starts: Sequence[Start], connect: Callable[[Stream], Steps], limit_s: Seconds
    ) -> None:
        """Note who waits for whom; nothing is due yet."""
        self._streams = streams
        self._connect = connect
        self._limit_ns = round(limit_s * NS_PER_S)
        self._waiting = {index: start for index, start in enumerate(starts) if not start.at_once}
        self._armed: dict[int, list[int]] = {}  # by the stream that is waited for, those that wait
        self._due: list[tuple[Nanoseconds, int]] = []
        self._opening: dict[int, _Opening] = {}
        self._ready: list[tuple[Nanoseconds, int]] = []

    def __bool__(self) -> bool:
        """Whether a stream is still to be sent."""
        return bool(self._waiting or self._due or self._opening or self._ready)

    def begin(self, at_ns: Nanoseconds) -> None:
        """Start the timers: ``at_ns`` is the wave's first send."""
        for index, start in self._waiting.items():
            if start.after is not None:
                self._armed.setdefault(start.after, []).append(index)
        for index in [index for index, start in self._waiting.items() if start.after is None]:
            self._plan(index, at_ns)

    def wait_s(self, now_ns: Nanoseconds, most_s: Seconds) -> Seconds:
        """Return how long the loop may wait for its sockets: whole milliseconds, 0 when something is due in one."""
        left_ns = self._next_ns() - now_ns
        if left_ns < _NS_PER_MS:
            return 0.0
        return min(most_s, left_ns // _NS_PER_MS * _NS_PER_MS / NS_PER_S)

    def step(self, now_ns: Nanoseconds, epoll: select.epoll) -> Iterator[Stream]:
        """Connect what is nearly due, and yield what is to be sent now, or has failed to connect."""
        self._look_at_armed()
        while self._due and self._due[0][0] - _LEAD_NS <= now_ns:
            _, index = heapq.heappop(self._due)
            stream = self._streams[index]
            yield from self._advance(_Opening(stream, self._connect(stream), now_ns), now_ns, epoll)
        while self._ready and self._ready[0][0] <= now_ns:
            yield self._streams[heapq.heappop(self._ready)[1]]

    def owns(self, fd: int) -> bool:
        """Whether an event is about a connection that is being opened."""
        return fd in self._opening

    def event(self, fd: int, now_ns: Nanoseconds, epoll: select.epoll) -> Iterator[Stream]:
        """Go on with opening a connection; yields its stream when it has failed."""
        epoll.unregister(fd)
        yield from self._advance(self._opening.pop(fd), now_ns, epoll)

    def expire(self, now_ns: Nanoseconds, epoll: select.epoll) -> Iterator[Stream]:
        """Give up connections that take too long; yields what has failed by it."""
        late = [fd for fd, opening in self._opening.items() if now_ns - opening.since_ns >= self._limit_ns]
        for fd in late:
            epoll.unregister(fd)
            limit = format_seconds(self._limit_ns / NS_PER_S)
            failure = TimeoutError(errno.ETIMEDOUT, f"no answer within {limit}")
            yield from self._advance(self._opening.pop(fd), now_ns, epoll, failure)

    def stop(self, now_ns: Nanoseconds) -> Iterator[Stream]:
        """End all with STOPPED, and yield them."""
        for opening in self._opening.values():
            opening.steps.close()
        unsent = {opening.stream.index for opening in self._opening.values()}
        unsent |= {index for _, index in (*self._due, *self._ready)} | self._waiting.keys()
        self._waiting, self._armed, self._due, self._opening, self._ready = {}, {}, [], {}, []
        for index in sorted(unsent):
            self._streams[index].finish(End.STOPPED, now_ns)
            yield self._streams[index]

    def _look_at_armed(self) -> None:
        """Plan those whose wait for another stream is over; a chain of failures is followed to its end."""
        for awaited in tuple(self._armed):
            stream = self._streams[awaited]
            if stream.end is None and not stream.send_start_ns:
                continue
            for index in tuple(self._armed[awaited]):
                start = self._waiting[index]
                at_ns = _reached(stream, start.reads)
                if at_ns is not None:
                    self._armed[awaited].remove(index)
                    self._plan(index, at_ns)
            if not self._armed[awaited]:
                del self._armed[awaited]

    def _plan(self, index: int, from_ns: Nanoseconds) -> None:
        due_ns = from_ns + round(self._waiting.pop(index).delay_s * NS_PER_S)
        self._streams[index].planned_ns = due_ns
        heapq.heappush(self._due, (due_ns, index))

    def _advance(
        self, opening: _Opening, now_ns: Nanoseconds, epoll: select.epoll, failure: OSError | None = None
    ) -> Iterator[Stream]:
        stream = opening.stream
        try:
            fd, event = opening.steps.throw(failure) if failure else next(opening.steps)
        except StopIteration:
            if stream.end is not None:
                yield stream
            else:
                heapq.heappush(self._ready, (stream.planned_ns or 0, stream.index))
            return
        opening.since_ns = now_ns
        epoll.register(fd, event)
        self._opening[fd] = opening

    def _next_ns(self) -> Nanoseconds:
        """Return when the next timer is due; far away when all wait for something else."""
        soonest = [self._due[0][0] - _LEAD_NS] if self._due else []
        soonest += [self._ready[0][0]] if self._ready else []
        return min(soonest, default=1 << 62)


def _reached(stream: Stream, reads: int) -> Nanoseconds | None:
    """Return when a stream was so far, or had ended; None when it is not."""
    if reads and len(stream.woke) >= reads:
        return stream.woke[reads - 1]
    return stream.end_ns if stream.end is not None else None
