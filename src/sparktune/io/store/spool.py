"""Crash safety inside a wave: finished requests go to a file beside the database until their wave is committed.

A plain ``write`` is enough against a killed process - the kernel has the bytes - and costs the measuring process far
less than a transaction. The file is locked for as long as its process lives, so that the next process can tell a
crash from a neighbour.
"""

__all__ = ["Spool", "lock", "spools_beside"]

import fcntl
import os
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from sparktune.errors import StoreError
from sparktune.io.store.faults import store_faults
from sparktune.io.store.frames import SpooledWave, begin_frame, request_frame
from sparktune.model.cell import Cell
from sparktune.model.raw import RawRequest
from sparktune.model.trial import Phase
from sparktune.units import Seconds

_ATTEMPTS = 5


class Spool:
    """One append-only file per process. Not for use by several threads at once.

    ``begin`` names the wave, ``append`` keeps a request of it, ``clear`` forgets everything once the wave is in the
    database. All raise StoreError; a request that could not be written leaves the ones before it readable.
    """

    def __init__(self, database: Path) -> None:
        """Create and lock a file beside ``database``."""
        with store_faults(database):
            self._path, self._file = _create(database)
        self._size = 0

    def begin(self, run_id: str, cell: Cell, index: int, phase: Phase, started_wall_s: Seconds = 0.0) -> None:
        """Start a wave; should the process die, these values name the incomplete wave that is stored of it.

        ``started_wall_s`` is Unix time; 0 means now.
        """
        started = started_wall_s or time.time()
        wave = SpooledWave(run_id=run_id, cell=cell, index=index, phase=phase, started_wall_s=started)
        self._write(begin_frame(wave))

    def append(self, request: RawRequest) -> None:
        """Keep one finished request."""
        self._write(request_frame(request))

    def clear(self) -> None:
        """Empty the file: its wave is in the database."""
        with store_faults(self._path):
            os.ftruncate(self._file, 0)
        self._size = 0

    def close(self) -> None:
        """Let go of the file; what it still holds is recovered when the store is next opened."""
        if self._file < 0:
            return
        if self._size == 0:
            self._path.unlink(missing_ok=True)
        os.close(self._file)
        self._file = -1

    def __enter__(self) -> Self:
        """Close at the end of a ``with`` block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def _write(self, frame: bytes) -> None:
        with store_faults(self._path):
            try:
                _write_all(self._file, frame)
            except OSError:
                # Half a frame would hide every frame after it.
                os.ftruncate(self._file, self._size)
                raise
        self._size += len(frame)


def spools_beside(database: Path) -> tuple[Path, ...]:
    """Return the spool files of a database, of living processes too, by name."""
    prefix = _prefix(database)
    return tuple(sorted(path for path in database.parent.iterdir() if path.name.startswith(prefix)))


def lock(file: int) -> bool:
    """Lock an open file without waiting; false when its process lives, or when it was deleted meanwhile."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return os.fstat(file).st_nlink > 0


def _prefix(database: Path) -> str:
    return f"{database.name}.spool-"


def _create(database: Path) -> tuple[Path, int]:
    flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_APPEND | os.O_CLOEXEC
    for _ in range(_ATTEMPTS):
        path = database.with_name(f"{_prefix(database)}{os.getpid()}-{os.urandom(4).hex()}")
        file = os.open(path, flags, 0o600)
        if lock(file):
            return path, file
        # Another process took the still unlocked file for a dead one's: it deletes it, and this one takes a new name.
        os.close(file)
    message = f"no spool file could be locked beside {database}"
    raise StoreError(message, hint="point SPARKTUNE_DATA at a local disk: the folder's file system knows no locks")


def _write_all(file: int, frame: bytes) -> None:
    rest = memoryview(frame)
    while rest:
        rest = rest[os.write(file, rest) :]
