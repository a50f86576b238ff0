"""A file that a person named, opened so that nothing waits for ever for a pipe or a device that stays silent.

A pipe may well be meant: ``<(docker logs NAME)`` of a shell is one, and what is written there is read to its end.
Source: fifo(7), open(2): opening a pipe to read waits for a writer, unless ``O_NONBLOCK`` is set; then poll(2) tells
when there is something to read, or that the last writer has gone.
"""

__all__ = ["open_named"]

import errno
import os
import select
import stat
from pathlib import Path
from typing import IO, Final

from sparktune.units import Seconds, format_duration

_WAIT_S: Seconds = 3.0
_INHERITED: Final = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
"""What a shell has opened: somebody writes there, however slowly."""


def open_named(path: Path) -> IO[bytes]:
    """Open a file to be read. Raises OSError, also where what is no regular file has nothing to read within seconds."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        _check(descriptor, path)
        os.set_blocking(descriptor, True)
    except BaseException:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def _check(descriptor: int, path: Path) -> None:
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if stat.S_ISREG(mode) or str(path).startswith(_INHERITED):
        return
    poll = select.poll()
    poll.register(descriptor, select.POLLIN | select.POLLHUP)
    if not poll.poll(_WAIT_S * 1000):
        waited = format_duration(_WAIT_S)
        raise OSError(errno.ETIMEDOUT, f"it is no regular file, and nothing was written to it within {waited}")
