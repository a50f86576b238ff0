"""Rows of sweeps and their visits."""

__all__ = [
    "find_sweep",
    "insert_sweep",
    "newest_sweeps",
    "read_visits",
    "record_of",
    "update_sweep",
    "write_visit",
]

import difflib
import sqlite3

from sparktune.errors import UnknownRun, UsageError
from sparktune.io.store.codec import from_json, to_json
from sparktune.model.sweep import SweepVisit
from sparktune.model.sweep_record import SweepRecord

_SHOWN = 5
_NEWEST = "ORDER BY created_wall_s DESC, id DESC"


def insert_sweep(connection: sqlite3.Connection, sweep: SweepRecord) -> None:
    """Insert a sweep whose experiment is in the store already."""
    values = (sweep.id, sweep.created_wall_s, to_json(sweep))
    connection.execute("INSERT INTO sweeps (id, created_wall_s, record) VALUES (?, ?, ?)", values)


def update_sweep(connection: sqlite3.Connection, sweep: SweepRecord) -> None:
    """Say where a sweep stands; raises UnknownRun."""
    done = connection.execute("UPDATE sweeps SET record = ? WHERE id = ?", (to_json(sweep), sweep.id))
    if not done.rowcount:
        raise _unknown(connection, sweep.id)


def find_sweep(connection: sqlite3.Connection, prefix: str) -> sqlite3.Row:
    """Return the row of the one sweep whose id begins with ``prefix``, the newest for "", for ``record_of``.

    Raises UnknownRun, and UsageError when several begin so.
    """
    if prefix:
        query = "SELECT id, record FROM sweeps WHERE substr(id, 1, ?) = ? ORDER BY id"
        rows = connection.execute(query, (len(prefix), prefix)).fetchall()
    else:
        rows = connection.execute(f"SELECT id, record FROM sweeps {_NEWEST} LIMIT 1").fetchall()  # noqa: S608 - a constant
    found = [row for row in rows if row[0] == prefix] or rows
    if not found:
        raise _unknown(connection, prefix)
    if len(found) > 1:
        names = ", ".join(row[0] for row in found[-_SHOWN:])
        message = f"{len(found)} sweeps begin with {prefix!r}"
        raise UsageError(message, hint=f"give more of the id: {names}")
    row: sqlite3.Row = found[0]
    return row


def record_of(row: sqlite3.Row) -> SweepRecord:
    """Return the sweep of a row; raises as ``from_json``."""
    return from_json(row["record"], SweepRecord)


def newest_sweeps(connection: sqlite3.Connection, limit: int) -> sqlite3.Cursor:
    """Return the newest sweeps, newest first, for ``record_of``."""
    return connection.execute(f"SELECT id, record FROM sweeps {_NEWEST} LIMIT ?", (limit,))  # noqa: S608 - a constant


def write_visit(connection: sqlite3.Connection, sweep_id: str, visit: SweepVisit) -> None:
    """Keep a visit that has ended."""
    connection.execute(
        "INSERT OR REPLACE INTO sweep_visits (sweep_id, number, record) VALUES (?, ?, ?)",
        (sweep_id, visit.number, to_json(visit)),
    )


def read_visits(connection: sqlite3.Connection, sweep_id: str) -> tuple[SweepVisit, ...]:
    """Return the visits of a sweep, in the order in which they were made."""
    rows = connection.execute("SELECT record FROM sweep_visits WHERE sweep_id = ? ORDER BY number", (sweep_id,))
    return tuple(from_json(record, SweepVisit) for (record,) in rows)


def _unknown(connection: sqlite3.Connection, wanted: str) -> UnknownRun:
    ids = [row[0] for row in connection.execute(f"SELECT id FROM sweeps {_NEWEST}")]  # noqa: S608 - a constant
    near = difflib.get_close_matches(wanted, ids, n=_SHOWN, cutoff=0.5) or ids[:_SHOWN]
    if not near:
        what = f"no sweep {wanted!r}: the store has none" if wanted else "the store has no sweep yet"
        return UnknownRun(what, hint="start one with: sparktune sweep FILE")
    return UnknownRun(f"no sweep {wanted!r} in the store", hint=f"nearest: {', '.join(near)}")
