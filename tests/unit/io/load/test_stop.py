"""A stop must arrive, whenever it is asked for and from wherever."""

import select
import signal

from sparktune.io.load.stop import StopSignal


def _readable(fd: int) -> bool:
    with select.epoll() as epoll:
        epoll.register(fd, select.EPOLLIN)
        return bool(epoll.poll(0))


def test_not_set() -> None:
    with StopSignal().watched() as fd:
        assert not _readable(fd)


def test_set_while_watched() -> None:
    stop = StopSignal()
    with stop.watched() as fd:
        stop.set()
        assert _readable(fd)


def test_set_between_two_waves() -> None:
    """Ctrl-C between two waves must end the next one."""
    stop = StopSignal()
    stop.set()
    for _ in range(2):
        with stop.watched() as fd:
            assert _readable(fd)


def test_set_twice() -> None:
    stop = StopSignal()
    with stop.watched() as fd:
        stop.set()
        stop.set()
        assert _readable(fd)
    stop.set()


def test_set_by_a_signal_handler_of_the_watching_thread() -> None:
    """The handler runs in the thread that may hold the lock: it must not wait for it."""
    stop = StopSignal()
    before = signal.signal(signal.SIGUSR1, lambda *_: stop.set())
    try:
        with stop._lock:
            signal.raise_signal(signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, before)

    with stop.watched() as fd:
        assert _readable(fd)
