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

import sqlite3
from typing import Final

from sparktune.io.store.codec import from_json, to_json
from sparktune.io.store.named import Kind, find_row, unknown_row
from sparktune.model.sweep import SweepVisit
from sparktune.model.sweep_record import SweepRecord

_SWEEPS: Final = Kind(noun="sweep", table="sweeps", first="start one with: sparktune sweep FILE")
_NEWEST = "ORDER BY created_wall_s DESC, id DESC"


def insert_sweep(connection: sqlite3.Connection, sweep: SweepRecord) -> None:
    """Insert a sweep whose experiment is in the store already."""
    values = (sweep.id, sweep.created_wall_s, to_json(sweep))
    connection.execute("INSERT INTO sweeps (id, created_wall_s, record) VALUES (?, ?, ?)", values)


def update_sweep(connection: sqlite3.Connection, sweep: SweepRecord) -> None:
    """Say where a sweep stands; raises UnknownRun."""
    done = connection.execute("UPDATE sweeps SET record = ? WHERE id = ?", (to_json(sweep), sweep.id))
    if not done.rowcount:
        raise unknown_row(connection, _SWEEPS, sweep.id)


def find_sweep(connection: sqlite3.Connection, wanted: str) -> sqlite3.Row:
    """Return the row of the sweep that is meant, as ``find_row``, for ``record_of``."""
    return find_row(connection, _SWEEPS, wanted)


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
