"""What SQLite and the file system complain about, in words for the person whose store it is.

Source: result codes, https://www.sqlite.org/rescode.html
"""

__all__ = ["Unreadable", "leave_out", "readable", "row_faults", "store_faults"]

import errno
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from sparktune.errors import StoreError

_T = TypeVar("_T")
Unreadable = Callable[[StoreError], None]
"""Is told of a row that a list leaves out, because it cannot be understood."""

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
_UNREADABLE = (
    "if a newer sparktune wrote it, look at it with that one; else it is damaged: measure it again. "
    "What else is in the store is not touched by this"
)
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
def row_faults(path: Path, what: str) -> Iterator[None]:
    """Turn a row that cannot be understood into a StoreError that names ``what`` it is; others are still readable."""
    try:
        yield
    except (msgspec.ValidationError, zlib.error, ValueError) as error:
        message = f"{what} in the store {path} cannot be read: {error}"
        raise StoreError(message, hint=_UNREADABLE) from error


def readable(
    path: Path, kind: str, rows: Iterable[sqlite3.Row], read: Callable[[sqlite3.Row], _T], unreadable: Unreadable | None
) -> tuple[_T, ...]:
    """Return what each row, which has an ``id``, means; one that cannot be understood goes to ``unreadable``.

    Raises StoreError, with its name, where that is None.
    """
    found = []
    for row in rows:
        try:
            with row_faults(path, f"{kind} {row['id']}"):
                found.append(read(row))
        except StoreError as error:
            if unreadable is None:
                raise
            unreadable(error)
    return tuple(found)


def leave_out(_error: StoreError) -> None:
    """Be told of a row that cannot be understood where the list only looks for something useful."""


def _explained(path: Path, known: tuple[str, str] | None, error: Exception) -> StoreError:
    what, hint = known or ("cannot be used", _OTHER)
    told = error.strerror if isinstance(error, OSError) and error.strerror else error
    return StoreError(f"the store {path} {what}: {told}", hint=hint)
