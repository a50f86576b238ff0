"""Who works on an experiment: one living process at a time, known by a lock that dies with it."""

__all__ = ["owned", "owner_of"]

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sparktune.errors import StoreError
from sparktune.io.store.faults import store_faults
from sparktune.io.store.spool import lock

_LONGEST = 400


@contextmanager
def owned(database: Path, experiment_id: str) -> Iterator[None]:
    """Own an experiment inside the block. Raises StoreError when a living process owns it already."""
    path = database.with_name(f"{database.name}.ab-{experiment_id}")
    with store_faults(path):
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not lock(file):
            message = f"experiment {experiment_id} is worked on by another process"
            raise StoreError(message, hint="wait until it ends, or stop it with Ctrl-C: it brings everything back")
        with store_faults(path):
            os.ftruncate(file, 0)
            os.pwrite(file, f"pid {os.getpid()} on {socket.gethostname()}".encode(), 0)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
    finally:
        os.close(file)


def owner_of(database: Path, experiment_id: str) -> str:
    """Return which living process works on an experiment, ``pid N on HOST``; "" when none does."""
    path = database.with_name(f"{database.name}.ab-{experiment_id}")
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return os.pread(file, _LONGEST, 0).decode("utf-8", "replace") or "another process"
    except OSError:
        return ""
    finally:
        os.close(file)
    return ""
