"""Rows of runs: create, find, list."""

__all__ = ["count_visits", "find_run", "insert_run", "newest_rows", "row_of", "run_from", "update_state"]

import sqlite3
from dataclasses import replace
from typing import Final

from sparktune.errors import StoreError
from sparktune.io.store.codec import from_json, plain_text, to_json
from sparktune.io.store.named import Kind, find_row, unknown_row
from sparktune.model.run import Run, RunState
from sparktune.model.run_row import RunRow
from sparktune.redact import redact_argv, redact_text

_RUNS: Final = Kind(noun="run", table="runs", first="make one with: sparktune bench URL")
_INSERT = """
    INSERT INTO runs (id, created_wall_s, base_url, model, engine, state, cells, record)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_VISITED: Final = """
    SELECT CASE WHEN json_valid(record) THEN coalesce(json_extract(record, '$.run_id'), '') ELSE '' END FROM visits
"""
"""Ids of the runs that visits of experiments and sweeps have made: never NULL, which NOT IN would take for all."""


def insert_run(connection: sqlite3.Connection, run: Run) -> None:
    """Insert a run; what could be a secret in its arguments or address is removed once more on the way in.

    Raises StoreError for an id that is taken.
    """
    provenance = replace(run.provenance, argv=redact_argv(run.provenance.argv))
    clean = replace(run, base_url=redact_text(run.base_url), provenance=provenance)
    try:
        connection.execute(
            _INSERT,
            (
                clean.id,
                clean.created_wall_s,
                clean.base_url,
                plain_text(clean.workload.options.model),
                clean.engine.name,
                clean.state.value,
                len(clean.workload.cells),
                to_json(clean),
            ),
        )
    except sqlite3.IntegrityError as error:
        message = f"a run with the id {run.id} is already in the store"
        raise StoreError(message, hint="start the command again") from error


def update_state(connection: sqlite3.Connection, run_id: str, state: RunState) -> None:
    """Change the state; raises UnknownRun."""
    if connection.execute("UPDATE runs SET state = ? WHERE id = ?", (state.value, run_id)).rowcount == 0:
        raise unknown_row(connection, _RUNS, run_id)


def find_run(connection: sqlite3.Connection, wanted: str) -> tuple[str, str, str]:
    """Return id, state and JSON of the run that is meant, as ``find_row``; a record without a run means none.

    Raises UnknownRun.
    """
    row = find_row(connection, _RUNS, wanted) if wanted else None
    if row is None:
        raise unknown_row(connection, _RUNS, wanted)
    return row["id"], row["state"], row["record"]


def newest_rows(connection: sqlite3.Connection, limit: int, *, own: bool) -> sqlite3.Cursor:
    """Return the newest runs, newest first, for ``row_of``; ``own``: none that is a visit of something larger."""
    query = f"""
        SELECT id, created_wall_s, base_url, model, engine, state, cells,
               (SELECT count(*) FROM trials WHERE run_id = runs.id AND phase = 'measure' AND complete) AS waves,
               (SELECT sum(valid) FROM cell_results WHERE run_id = runs.id) AS valid
        FROM runs {f"WHERE id NOT IN ({_VISITED})" if own else ""} ORDER BY created_wall_s DESC, id DESC LIMIT ?
    """  # noqa: S608 - constants
    return connection.execute(query, (limit,))


def count_visits(connection: sqlite3.Connection) -> int:
    """Return how many runs are visits of experiments and sweeps."""
    query = f"SELECT count(*) FROM runs WHERE id IN ({_VISITED})"  # noqa: S608 - a constant
    return int(connection.execute(query).fetchone()[0])


def row_of(row: sqlite3.Row) -> RunRow:
    """Return a run in a list; raises ValueError for a state that is not known here."""
    return RunRow(**{**dict(row), "state": RunState(row["state"])})


def run_from(record: str, state: str) -> Run:
    """Rebuild a run from its row; the state column is the newer one."""
    return replace(from_json(record, Run), state=RunState(state))
