"""Open the database: a private folder, pragmas, the newest schema."""

__all__ = ["connect"]

import os
import sqlite3
import time
from pathlib import Path

from sparktune.io.store.migrations import migrate, refuse_foreign
from sparktune.units import Seconds

BUSY_S: Seconds = 20.0
_PAUSE_S: Seconds = 0.05


def connect(path: Path) -> sqlite3.Connection:
    """Open or create the database at ``path`` with the newest schema; the caller translates what is raised.

    WAL lets a second process read while this one writes; a writer waits for another up to 20 s. Commits reach the
    disk with the next checkpoint (``synchronous=NORMAL``): a killed process loses nothing, a power cut at most the
    last waves.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # What models wrote is the user's own; SQLite gives its side files the mode of the database.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        refuse_foreign(connection, path)  # before the first write: a file of others stays as it is
        _use_wal(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        migrate(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL; SQLite does not wait for a lock here, so this does."""
    deadline = time.monotonic() + BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_S)
        else:
            return
