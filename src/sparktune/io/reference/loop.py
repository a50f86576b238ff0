"""The event loop of the reference server: due chunks first, then sockets, then new requests, one at a time.

A plain epoll loop with a heap of due instants: no framework's own queues stand between a due instant and its write.
"""

__all__ = ["Loop"]

import heapq
import os
import select
import socket
from collections import deque
from time import monotonic_ns

from sparktune.io.reference.knobs import Knobs
from sparktune.io.reference.link import Link, stamp_arrivals
from sparktune.io.reference.routes import respond
from sparktune.io.reference.state import State, Timed
from sparktune.io.reference.stream import Stream
from sparktune.io.reference.wire import BadHttp, HttpRequest, json_answer, openai_error
from sparktune.units import NS_PER_S, Nanoseconds

_BACKLOG = 4096
_NS_PER_US = 1000
_GONE = select.EPOLLHUP | select.EPOLLERR | select.EPOLLRDHUP


class Loop:
    """Serves one listening socket until ``stop_fd`` or ``parent_fd`` becomes readable at its end."""

    def __init__(self, listener: socket.socket, knobs: Knobs, *, stop_fd: int, parent_fd: int | None = None) -> None:
        """``stop_fd`` ends the loop when a byte comes, ``parent_fd`` when it closes."""
        listener.setblocking(False)
        listener.listen(_BACKLOG)
        stamp_arrivals(listener)
        self._listener = listener
        self._epoll = select.epoll()
        self._state = State(knobs, self._schedule)
        self._links: dict[int, Link] = {}
        self._heap: list[tuple[Nanoseconds, int, Timed]] = []
        self._sequence = 0
        self._ready: deque[tuple[Link, HttpRequest]] = deque()
        self._stop_fd = stop_fd
        self._parent_fd = parent_fd
        self._stopping = False
        self._epoll.register(listener.fileno(), select.EPOLLIN)
        self._epoll.register(stop_fd, select.EPOLLIN)
        if parent_fd is not None:
            self._epoll.register(parent_fd, select.EPOLLIN)

    def run(self) -> None:
        """Serve until told to stop, then close every connection."""
        while not self._stopping:
            self._wait()
            for fd, events in self._epoll.poll(0):
                self._event(fd, events)
            self._write_due()
            if self._ready:
                self._answer(*self._ready.popleft())
        for link in tuple(self._links.values()):
            link.close()
        self._listener.close()
        self._epoll.close()

    def _wait(self) -> None:
        # select() on the epoll descriptor: epoll.poll rounds its timeout up to whole milliseconds, select does not.
        if self._ready:
            return
        if not self._heap:
            select.select((self._epoll.fileno(),), (), ())
            return
        left_ns = self._heap[0][0] - monotonic_ns() - self._state.knobs.spin_us * _NS_PER_US
        if left_ns > 0:
            select.select((self._epoll.fileno(),), (), (), left_ns / NS_PER_S)

    def _event(self, fd: int, events: int) -> None:
        link = self._links.get(fd)
        if link is None:
            self._own_event(fd)
            return
        if events & select.EPOLLOUT:
            link.flush()
        if events & select.EPOLLIN and not link.closed:
            open_still = link.receive()
            if open_still and not events & _GONE:
                self._take(link)
                return
            events |= 0 if open_still else select.EPOLLHUP
        if events & _GONE:
            self._drop(link)

    def _own_event(self, fd: int) -> None:
        if fd == self._listener.fileno():
            self._accept()
        elif fd == self._stop_fd or (fd == self._parent_fd and not os.read(fd, 4096)):
            self._stopping = True

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return  # nobody there, or too many open files: the others are served meanwhile
            try:
                link = Link(sock, self._epoll)
            except OSError:
                sock.close()  # the peer had gone before it was accepted
            else:
                self._links[link.fd] = link

    def _take(self, link: Link) -> None:
        if link.closed or link.busy is not None:
            return
        try:
            request = link.reader.take()
        except BadHttp as error:
            link.keep_alive = False
            link.send(json_answer(400, openai_error(400, str(error), "BadRequestError"), keep_alive=False))
            self._finish(link)
            return
        if request is not None:
            self._ready.append((link, request))

    def _answer(self, link: Link, request: HttpRequest) -> None:
        if link.closed:
            return
        link.keep_alive = request.keep_alive
        data = respond(self._state, link, request)
        if data is not None:
            link.send(data)
            self._finish(link)

    def _finish(self, link: Link) -> None:
        link.finish()
        self._forget_closed(link)
        self._take(link)

    def _schedule(self, timed: Timed) -> None:
        self._sequence += 1
        heapq.heappush(self._heap, (timed.due_ns, self._sequence, timed))

    def _write_due(self) -> None:
        # Only what is due now: a server that cannot keep up must still read its sockets between rounds.
        heap = self._heap
        now_ns = monotonic_ns()
        due = []
        while heap and heap[0][0] <= now_ns:
            due.append(heapq.heappop(heap)[2])
        for timed in due:
            if not timed.ended and timed.step():
                self._schedule(timed)
            elif isinstance(timed, Stream):
                self._clear(timed)

    def _clear(self, stream: Stream) -> None:
        # A stream that stalls on purpose has no next step and has not ended: it stays until its client leaves.
        if stream.ended:
            self._forget_closed(stream.link)
            self._take(stream.link)

    def _drop(self, link: Link) -> None:
        link.keep_alive = False
        if link.busy is not None:
            link.busy.abandon()
        link.close()
        self._forget_closed(link)

    def _forget_closed(self, link: Link) -> None:
        if link.closed:
            self._links.pop(link.fd, None)
