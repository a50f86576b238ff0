"""Find the one row that a person means: by its id, by the beginning of its id, or as the newest of its kind."""

__all__ = ["LAST", "Kind", "find_row", "is_newest", "unknown_row"]

import difflib
import sqlite3
from dataclasses import dataclass
from typing import Final

from sparktune.errors import UnknownRun, UsageError

LAST: Final = "last"
"""What is written for the newest wherever an id is taken."""

_SHOWN: Final = 5
_CLOSE: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What has ids: its name for people, its table, how to get a first one, and which of it count as the newest."""

    noun: str
    table: str
    first: str
    newest: str = ""


def is_newest(wanted: str) -> bool:
    """Say whether the newest is meant: no id at all, or ``last``."""
    return wanted in {"", LAST}


def find_row(connection: sqlite3.Connection, kind: Kind, wanted: str) -> sqlite3.Row:
    """Return the row whose id is, or alone begins with, ``wanted``; the newest for ``last`` and "".

    Raises UnknownRun with the ids that are nearest, and UsageError when several begin so.
    """
    if is_newest(wanted):
        query = f"SELECT * FROM {kind.table} {kind.newest} ORDER BY created_wall_s DESC, id DESC LIMIT 1"  # noqa: S608 - constants
        rows = connection.execute(query).fetchall()
    else:
        query = f"SELECT * FROM {kind.table} WHERE substr(id, 1, ?) = ? ORDER BY id"  # noqa: S608 - a constant
        rows = connection.execute(query, (len(wanted), wanted)).fetchall()
    found = [row for row in rows if row["id"] == wanted] or rows
    if not found:
        raise unknown_row(connection, kind, wanted)
    if len(found) > 1:
        names = ", ".join(row["id"] for row in found[-_SHOWN:])
        message = f"{len(found)} {kind.noun}s begin with {wanted!r}"
        raise UsageError(message, hint=f"give more of the id: {names}")
    row: sqlite3.Row = found[0]
    return row


def unknown_row(connection: sqlite3.Connection, kind: Kind, wanted: str) -> UnknownRun:
    """Return the error for an id that nothing of this kind has."""
    query = f"SELECT id FROM {kind.table} ORDER BY created_wall_s DESC, id DESC"  # noqa: S608 - a constant
    ids = [row["id"] for row in connection.execute(query)]
    near = difflib.get_close_matches(wanted, ids, n=_SHOWN, cutoff=_CLOSE) or ids[:_SHOWN]
    if near and not is_newest(wanted):
        return UnknownRun(f"no {kind.noun} {wanted!r} in the store", hint=f"nearest: {', '.join(near)}")
    where = connection.execute("PRAGMA database_list").fetchone()[2]
    what = f"the store {where} has no {kind.noun} yet"
    return UnknownRun(what if is_newest(wanted) else f"no {kind.noun} {wanted!r}: {what}", hint=kind.first)
