"""Rows of experiments and their visits."""

__all__ = [
    "end_experiment",
    "experiment_row",
    "find_experiment",
    "holding",
    "insert_experiment",
    "newest_experiments",
    "read_held",
    "read_visits",
    "row_of",
    "write_held",
    "write_visit",
]

import sqlite3
from collections.abc import Mapping
from typing import Any, Final

from sparktune.errors import StoreError
from sparktune.experiment.plan import Experiment, VisitRecord
from sparktune.io.store.codec import from_json, to_json
from sparktune.io.store.named import Kind, find_row, unknown_row
from sparktune.model.experiment_row import ExperimentRow, ExperimentState
from sparktune.units import Ratio

_NOTHING = "{}"
_NO_SWEEP = "WHERE id NOT IN (SELECT id FROM sweeps)"
_EXPERIMENTS: Final = Kind(
    noun="experiment", table="experiments", first="start one with: sparktune ab FILE", newest=_NO_SWEEP
)
_INSERT = """
    INSERT INTO experiments (id, created_wall_s, base_url, name, knob, metric, state, why, verdict, deviation,
                             afterwards, record, held)
    VALUES (?, ?, ?, ?, ?, ?, ?, '', '', NULL, '', ?, ?)
"""
_ROW = """
    SELECT id, created_wall_s, base_url, name, knob, metric, state, why, verdict, deviation, afterwards, held
    FROM experiments
"""


def insert_experiment(connection: sqlite3.Connection, experiment: Experiment) -> None:
    """Insert a plan; its launcher has refused secrets in it already. Raises StoreError for an id that is taken."""
    values = (
        experiment.id,
        experiment.created_wall_s,
        experiment.base_url,
        experiment.name,
        experiment.knob,
        experiment.primary.metric,
        ExperimentState.RUNNING.value,
        to_json(experiment),
        _NOTHING,
    )
    try:
        connection.execute(_INSERT, values)
    except sqlite3.IntegrityError as error:
        message = f"an experiment with the id {experiment.id} is already in the store"
        raise StoreError(message, hint="start the command again") from error


def find_experiment(connection: sqlite3.Connection, wanted: str) -> tuple[str, str]:
    """Return id and JSON of the experiment that is meant, as ``find_row``; the newest is one that is no sweep."""
    row = find_row(connection, _EXPERIMENTS, wanted)
    return row["id"], row["record"]


def experiment_row(connection: sqlite3.Connection, experiment_id: str) -> ExperimentRow:
    """Return where an experiment stands; raises UnknownRun."""
    row = connection.execute(f"{_ROW} WHERE id = ?", (experiment_id,)).fetchone()
    if row is None:
        raise unknown_row(connection, _EXPERIMENTS, experiment_id)
    return row_of(row)


def newest_experiments(connection: sqlite3.Connection, limit: int, *, sweeps: bool) -> sqlite3.Cursor:
    """Return the newest experiments for ``row_of``; with ``sweeps`` also those that hold what a sweep touches."""
    which = "" if sweeps else _NO_SWEEP
    return connection.execute(f"{_ROW} {which} ORDER BY created_wall_s DESC, id DESC LIMIT ?", (limit,))


def holding(connection: sqlite3.Connection) -> tuple[tuple[str, str], ...]:
    """Return id and server of every experiment, or sweep, that has something to take back, newest first."""
    query = "SELECT id, base_url FROM experiments WHERE held != ? ORDER BY created_wall_s DESC, id DESC"
    return tuple((held_by, base_url) for held_by, base_url in connection.execute(query, (_NOTHING,)))


def end_experiment(
    connection: sqlite3.Connection,
    experiment_id: str,
    state: ExperimentState,
    *,
    why: str,
    verdict: str,
    deviation: Ratio | None,
    afterwards: str,
) -> None:
    """Say where an experiment stands; raises UnknownRun."""
    query = "UPDATE experiments SET state = ?, why = ?, verdict = ?, deviation = ?, afterwards = ? WHERE id = ?"
    values = (state.value, why, verdict, deviation, afterwards, experiment_id)
    if not connection.execute(query, values).rowcount:
        raise unknown_row(connection, _EXPERIMENTS, experiment_id)


def write_held(connection: sqlite3.Connection, experiment_id: str, held: Mapping[str, Any]) -> None:
    """Replace what an experiment holds; raises UnknownRun."""
    query = "UPDATE experiments SET held = ? WHERE id = ?"
    if not connection.execute(query, (to_json(held), experiment_id)).rowcount:
        raise unknown_row(connection, _EXPERIMENTS, experiment_id)


def read_held(connection: sqlite3.Connection, experiment_id: str) -> Mapping[str, Any]:
    """Return what an experiment holds, as it was remembered last; empty when it is nothing. Raises UnknownRun."""
    row = connection.execute("SELECT held FROM experiments WHERE id = ?", (experiment_id,)).fetchone()
    if row is None:
        raise unknown_row(connection, _EXPERIMENTS, experiment_id)
    return from_json(row["held"], dict[str, Any])


def write_visit(connection: sqlite3.Connection, visit: VisitRecord) -> None:
    """Keep a visit; a later record of the same visit replaces the earlier one."""
    connection.execute(
        "INSERT OR REPLACE INTO visits (experiment_id, block, attempt, place, record) VALUES (?, ?, ?, ?, ?)",
        (visit.experiment_id, visit.block, visit.attempt, visit.place, to_json(visit)),
    )


def read_visits(connection: sqlite3.Connection, experiment_id: str) -> tuple[VisitRecord, ...]:
    """Return every visit that began, in the order of the plan and of attempts."""
    query = "SELECT record FROM visits WHERE experiment_id = ? ORDER BY block, attempt, place"
    return tuple(from_json(record, VisitRecord) for (record,) in connection.execute(query, (experiment_id,)))


def row_of(row: sqlite3.Row) -> ExperimentRow:
    """Return an experiment in a list; raises ValueError for a state that is not known here."""
    return ExperimentRow(
        id=row["id"],
        created_wall_s=row["created_wall_s"],
        base_url=row["base_url"],
        name=row["name"],
        knob=row["knob"],
        metric=row["metric"],
        state=ExperimentState(row["state"]),
        why=row["why"],
        verdict=row["verdict"],
        deviation=row["deviation"],
        afterwards=row["afterwards"],
        holds=row["held"] != _NOTHING,
    )
