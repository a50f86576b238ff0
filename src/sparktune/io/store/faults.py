"""What SQLite and the file system complain about, in words for the person whose store it is.

Source: result codes, https://www.sqlite.org/rescode.html
"""

__all__ = ["row_faults", "store_faults"]

import errno
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from sparktune.errors import StoreError

_PRIMARY = 0xFF  # the low byte of an extended result code is its primary code
_SPACE = "free some space there, or point SPARKTUNE_DATA at another disk; what was stored before is intact"
_ACCESS = "give yourself write access to that folder, or point SPARKTUNE_DATA at one that you may write"
_DAMAGED = "move the file away, a new one is made by the next command; SPARKTUNE_DATA names the folder"
_BUSY = "another sparktune holds the store; wait for it, or point SPARKTUNE_DATA at a folder of its own"
_BY_SQLITE = {
    sqlite3.SQLITE_FULL: ("is full", _SPACE),
    sqlite3.SQLITE_READONLY: ("cannot be written", _ACCESS),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", _ACCESS),
    sqlite3.SQLITE_PERM: ("cannot be opened", _ACCESS),
    sqlite3.SQLITE_NOTADB: ("is no database", _DAMAGED),
    sqlite3.SQLITE_CORRUPT: ("is damaged", _DAMAGED),
    sqlite3.SQLITE_BUSY: ("is locked", _BUSY),
    sqlite3.SQLITE_LOCKED: ("is locked", _BUSY),
}
_BY_ERRNO = {
    errno.ENOSPC: ("is full", _SPACE),
    errno.EDQUOT: ("is over its quota", _SPACE),
    errno.EACCES: ("cannot be written", _ACCESS),
    errno.EPERM: ("cannot be written", _ACCESS),
    errno.EROFS: ("is on a read-only file system", _ACCESS),
}
_OTHER = "point SPARKTUNE_DATA at another folder to go on without this one"


@contextmanager
def store_faults(path: Path) -> Iterator[None]:
    """Turn whatever the database or the file at ``path`` raises into a StoreError with the next step."""
    try:
        yield
    except sqlite3.Error as error:
        # sqlite3 sets the code only on errors that SQLite itself reported.
        code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY
        raise _explained(path, _BY_SQLITE.get(code), error) from error
    except OSError as error:
        raise _explained(path, _BY_ERRNO.get(error.errno or 0), error) from error


@contextmanager
def row_faults(path: Path, run_id: str) -> Iterator[None]:
    """Turn a row that cannot be understood into a StoreError that names its run; other runs are still readable."""
    try:
        yield
    except (msgspec.ValidationError, zlib.error, ValueError) as error:
        message = f"run {run_id} in the store {path} is damaged: {error}"
        raise StoreError(message, hint="other runs are not touched by this; measure this one again") from error


def _explained(path: Path, known: tuple[str, str] | None, error: Exception) -> StoreError:
    what, hint = known or ("cannot be used", _OTHER)
    told = error.strerror if isinstance(error, OSError) and error.strerror else error
    return StoreError(f"the store {path} {what}: {told}", hint=hint)
