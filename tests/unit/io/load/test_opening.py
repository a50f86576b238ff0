"""Opening connections without a network: who waits, who fails, and that nobody waits for a dead host c times."""

import os
import select
from collections.abc import Callable

from sparktune.io.load.connect import Steps
from sparktune.io.load.opening import open_streams
from sparktune.io.load.stop import StopSignal
from sparktune.io.load.stream import Stream
from sparktune.model.recording import End

_NO_LIMIT_S = 60.0


def _streams(count: int) -> list[Stream]:
    return [Stream(index=index, payload=b"") for index in range(count)]


def _open(
    streams: list[Stream], start: Callable[[Stream], Steps], *, limit_s: float = _NO_LIMIT_S, stopped: bool = False
) -> None:
    stop = StopSignal()
    if stopped:
        stop.set()
    with stop.watched() as wake_fd:
        open_streams(streams, start, limit_s, wake_fd)


def test_each_is_opened_once_and_few_at_a_time() -> None:
    """A short listen queue drops what comes at once, and a dropped connection costs a second."""
    under_way: set[int] = set()
    most: list[int] = []
    opened: list[int] = []

    def start(stream: Stream) -> Steps:
        fd = os.eventfd(0)
        under_way.add(stream.index)
        most.append(len(under_way))
        yield fd, select.EPOLLOUT
        yield fd, select.EPOLLOUT
        os.close(fd)
        under_way.remove(stream.index)
        opened.append(stream.index)

    _open(_streams(20), start)

    assert sorted(opened) == list(range(20))
    assert max(most) == 4


def test_stream_that_needs_no_waiting() -> None:
    def start(stream: Stream) -> Steps:
        stream.finish(End.CONNECT, 1, "refused")
        yield from ()

    streams = _streams(6)
    _open(streams, start)

    assert [stream.detail for stream in streams] == ["refused"] * 6


def test_one_that_fails_leaves_the_others_alone() -> None:
    opened: list[int] = []

    def start(stream: Stream) -> Steps:
        yield from _answered_at_once()
        if stream.index == 1:
            stream.finish(End.CONNECT, 1, "refused")
        else:
            opened.append(stream.index)

    streams = _streams(3)
    _open(streams, start)

    assert (opened, [stream.end for stream in streams]) == ([0, 2], [None, End.CONNECT, None])


def _answered_at_once() -> Steps:
    fd = os.eventfd(0)
    yield fd, select.EPOLLOUT
    os.close(fd)


def _never_answered(stream: Stream) -> Steps:
    fd = os.eventfd(0)
    try:
        yield fd, select.EPOLLIN
    except OSError as error:
        stream.finish(End.CONNECT, 1, error.strerror or "")
    finally:
        os.close(fd)


def test_dead_host_costs_one_limit() -> None:
    """128 streams to a host that drops everything must not take 128 times the limit."""
    streams = _streams(9)
    _open(streams, _never_answered, limit_s=0.01)

    assert [stream.detail for stream in streams] == [
        *["no answer within 10.0 ms"] * 4,
        *["not tried: no connection opened for 10.0 ms"] * 5,
    ]


def test_slow_ones_fail_alone_while_others_open() -> None:
    """Four that hang fill the queue; since others opened meanwhile, the rest still gets its try."""
    opened: list[int] = []

    def start(stream: Stream) -> Steps:
        if stream.index in {1, 2, 3}:
            yield from _never_answered(stream)
        else:
            yield from _answered_at_once()
            opened.append(stream.index)

    streams = _streams(8)
    _open(streams, start, limit_s=0.05)

    assert opened == [0, 4, 5, 6, 7]
    assert [stream.index for stream in streams if stream.end is End.CONNECT] == [1, 2, 3]


def test_stop_while_opening() -> None:
    streams = _streams(6)
    _open(streams, _never_answered, stopped=True)

    assert [stream.end for stream in streams] == [End.STOPPED] * 6
