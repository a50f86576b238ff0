"""A stop that any thread or signal handler can ask for and an epoll loop can wait for."""

__all__ = ["StopSignal"]

import contextlib
import os
import threading
from collections.abc import Iterator


class StopSignal:
    """Once set it stays set: a stop that comes between two waves must not be lost."""

    def __init__(self) -> None:
        """Start unset."""
        # Re-entrant: a signal handler runs in a thread that may be inside ``watched``.
        self._lock = threading.RLock()
        self._set = False
        self._fd: int | None = None

    def set(self) -> None:
        """Make the watched file descriptor readable, now and whenever it is watched again."""
        with self._lock:
            self._set = True
            if self._fd is not None:
                os.eventfd_write(self._fd, 1)

    @contextlib.contextmanager
    def watched(self) -> Iterator[int]:
        """Give a file descriptor that is readable when the stop is set."""
        with self._lock:
            self._fd = fd = os.eventfd(int(self._set), os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        try:
            yield fd
        finally:
            with self._lock:
                self._fd = None
            os.close(fd)
