"""Idle trials in the store: plan, visits, and what is held, apart from experiments, which have a workload."""

__all__ = ["TRIALS", "IdleRow", "IdleTrials"]

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sparktune.errors import StoreError
from sparktune.experiment.idle_trial import IdleTrial, IdleVisit
from sparktune.io.store.codec import from_json, to_json
from sparktune.io.store.faults import readable, row_faults, store_faults
from sparktune.io.store.named import Kind, find_row
from sparktune.io.store.owner import owned
from sparktune.io.store.transaction import durable_transaction
from sparktune.model.experiment_row import ExperimentState

_NOTHING = "{}"
TRIALS: Final = Kind(
    noun="trial",
    table="idle_trials",
    first="find a thread with: sparktune place scan; then: sparktune place trial TID@NODE",
)
_ROW = "SELECT id, state, why, experiment_id, record, visits, held FROM idle_trials"
_NEWEST = "ORDER BY created_wall_s DESC, id DESC"


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleRow:
    """A trial as it is kept. ``why`` says why it ended before its plan did; ``experiment`` is that under load."""

    trial: IdleTrial
    visits: tuple[IdleVisit, ...]
    state: ExperimentState
    why: str
    experiment: str
    held: Mapping[str, Any]


class IdleTrials:
    """Part of a ``Store``; raises StoreError as it does. What is written is on the disk when a method returns."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        """Use ``Store.idle_trials``."""
        self._path, self._connection = path, connection

    def create(self, trial: IdleTrial) -> None:
        """Add a plan; it is never changed afterwards."""
        values = (trial.id, trial.created_wall_s, ExperimentState.RUNNING.value, to_json(trial), _NOTHING)
        query = "INSERT INTO idle_trials VALUES (?, ?, ?, '', '', ?, '[]', ?)"
        with self._writing():
            self._connection.execute(query, values)

    def set_visits(self, trial_id: str, visits: Sequence[IdleVisit]) -> None:
        """Replace the visits that began."""
        self._set(trial_id, "visits", to_json(list(visits)))

    def remember_held(self, trial_id: str, held: Mapping[str, Any]) -> None:
        """Replace what is held."""
        self._set(trial_id, "held", to_json(held))

    def end(self, trial_id: str, state: ExperimentState, why: str = "") -> None:
        """Say where a trial stands."""
        self._set(trial_id, "state", state.value)
        self._set(trial_id, "why", why)

    def set_experiment(self, trial_id: str, experiment_id: str) -> None:
        """Say which experiment under load goes with a trial."""
        self._set(trial_id, "experiment_id", experiment_id)

    def load(self, wanted: str) -> IdleRow:
        """Return the trial that is meant, as ``find_row``. Raises UnknownRun and UsageError."""
        with store_faults(self._path):
            row = find_row(self._connection, TRIALS, wanted)
        with row_faults(self._path, f"trial {row['id']}"):
            return _row(row)

    def newest_ids(self, limit: int) -> tuple[str, ...]:
        """Return the ids of the newest trials, newest first."""
        with store_faults(self._path):
            rows = self._connection.execute(f"SELECT id FROM idle_trials {_NEWEST} LIMIT ?", (limit,))  # noqa: S608 - a constant
            return tuple(row["id"] for row in rows)

    def newest(self) -> IdleRow | None:
        """Return the newest trial, None when there is none."""
        with store_faults(self._path):
            rows = self._connection.execute(f"{_ROW} {_NEWEST} LIMIT 1")
            return next(iter(readable(self._path, "trial", rows, _row, None)), None)

    def holding(self) -> tuple[IdleRow, ...]:
        """Return the trials that hold something, the newest first."""
        with store_faults(self._path):
            rows = self._connection.execute(f"{_ROW} WHERE held != ? {_NEWEST}", (_NOTHING,))
            return readable(self._path, "trial", rows, _row, None)

    def owned(self, trial_id: str) -> contextlib.AbstractContextManager[None]:
        """Own a trial inside a block. Raises StoreError when a living process owns it already."""
        return owned(self._path, trial_id)

    def _set(self, trial_id: str, column: str, value: str) -> None:
        with self._writing():
            query = f"UPDATE idle_trials SET {column} = ? WHERE id = ?"  # noqa: S608 - a name of ours
            if not self._connection.execute(query, (value, trial_id)).rowcount:
                message = f"no trial {trial_id!r} in the store"
                raise StoreError(message, hint="another program removed it?")

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        with store_faults(self._path), durable_transaction(self._connection):
            yield


def _row(row: sqlite3.Row) -> IdleRow:
    return IdleRow(
        trial=from_json(row["record"], IdleTrial),
        visits=from_json(row["visits"], tuple[IdleVisit, ...]),
        state=ExperimentState(row["state"]),
        why=row["why"],
        experiment=row["experiment_id"],
        held=from_json(row["held"], dict[str, Any]),
    )
