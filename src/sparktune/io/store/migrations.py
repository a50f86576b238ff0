"""Bring a database to the newest schema: numbered SQL files, ``PRAGMA user_version`` says how far it is.

A file that was released is never changed; a new need is a new file.
"""

__all__ = ["APPLICATION_ID", "migrate", "refuse_foreign"]

import sqlite3
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from sparktune.errors import StoreError
from sparktune.io.store.transaction import transaction

APPLICATION_ID = 0x53504B54  # "SPKT": tells our file from any other SQLite file


def refuse_foreign(connection: sqlite3.Connection, path: Path) -> int:
    """Return the schema version of our own file (0 for an empty one) without changing anything.

    Raises StoreError when the file belongs to another program or to a newer version of this one.
    """
    newest = len(_scripts())
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if objects and application != APPLICATION_ID:
        message = f"{path} is a database of another program (application id {application})"
        raise StoreError(message, hint="point SPARKTUNE_DATA at a folder that holds no such file")
    if version > newest:
        message = f"the store {path} has schema {version}, this sparktune knows up to {newest}"
        raise StoreError(message, hint="update sparktune, or point SPARKTUNE_DATA at another folder")
    return int(version)


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Apply what is missing, all in one transaction, so that a crash or a second process never sees half a schema."""
    scripts = _scripts()
    if refuse_foreign(connection, path) == len(scripts):
        return
    with transaction(connection):
        # Read again under the lock: a second process may have migrated in the meantime.
        done = refuse_foreign(connection, path)
        for number, script in enumerate(scripts[done:], start=done + 1):
            for statement in _statements(script):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _scripts() -> tuple[str, ...]:
    folder = resources.files("sparktune.io.store") / "schema"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return tuple(file.read_text(encoding="utf-8") for file in files)


def _statements(script: str) -> Iterator[str]:
    """Split a script; ``executescript`` would commit our transaction."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
