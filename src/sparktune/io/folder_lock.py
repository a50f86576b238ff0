"""One writer at a time in a folder, with nothing left there: the lock is on the folder itself."""

__all__ = ["folder_lock"]

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sparktune.errors import UsageError
from sparktune.units import Seconds

_PATIENCE: Final[Seconds] = 10.0
_EACH: Final[Seconds] = 0.05
_BUSY: Final = frozenset({errno.EAGAIN, errno.EACCES})


@contextmanager
def folder_lock(folder: Path, *, patience: Seconds = _PATIENCE) -> Iterator[None]:
    """Hold the folder's lock for the block; it ends with the process, however that ends.

    A file system that has no such locks (some network mounts) is worked on without. Raises UsageError when the folder
    is not there, and when another process has held the lock for longer than ``patience``.
    """
    try:
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        message = f"{folder} cannot be opened: {error.strerror or error}"
        raise UsageError(message, hint="name a file in a folder that exists and that you may read") from None
    try:
        _take(folder, place, patience)
        yield
    finally:
        os.close(place)


def _take(folder: Path, place: int, patience: Seconds) -> None:
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _BUSY:
                return
            if time.monotonic() >= until:
                message = f"another process has been writing in {folder} for more than {patience:g} s"
                raise UsageError(message, hint="wait for it to end, then do this again") from None
            time.sleep(_EACH)
        else:
            return
