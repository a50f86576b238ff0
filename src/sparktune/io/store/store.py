"""The store of runs: one SQLite file per user, from which every report can be rebuilt."""

__all__ = ["Store"]

import contextlib
import math
import sqlite3
import statistics
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sparktune.experiment.memory_curve import MemoryCurve
from sparktune.experiment.plan import Experiment, VisitRecord
from sparktune.io.store import curves, experiments, runs, summaries, sweeps, trials
from sparktune.io.store.codec import from_json
from sparktune.io.store.connection import connect
from sparktune.io.store.faults import Unreadable, readable, row_faults, store_faults
from sparktune.io.store.idle_trials import IdleTrials
from sparktune.io.store.location import database_path
from sparktune.io.store.named import LAST
from sparktune.io.store.owner import at_places, owned
from sparktune.io.store.recovery import Recovery, recover
from sparktune.io.store.spool import Spool
from sparktune.io.store.transaction import durable_transaction, transaction
from sparktune.model.cell import Cell
from sparktune.model.experiment_row import ExperimentRow, ExperimentState
from sparktune.model.raw import RawTrial
from sparktune.model.result import RunResult
from sparktune.model.run import Run, RunState
from sparktune.model.run_row import RunRow
from sparktune.model.sweep import SweepVisit
from sparktune.model.sweep_record import SweepRecord
from sparktune.model.warmup import WarmupOutcome
from sparktune.redact import redact_text
from sparktune.units import Ratio, Seconds, TokensPerSecond


class Store:
    """Everything raises StoreError, with the next step as its hint, when the file cannot be read or written.

    ``path`` is the database; ``recovered`` says what dead processes had left behind when it was opened. Several
    processes may use one file at once. A store may be used from another thread than the one that opened it, but not
    by two at once.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, recovered: Recovery) -> None:
        """Use ``Store.open``."""
        self.path = path
        self.recovered = recovered
        self.idle_trials = IdleTrials(path, connection)
        self._connection = connection

    @classmethod
    def open(cls, path: Path | None = None) -> "Store":
        """Open or create the database at ``path``, else the user's own (see ``location``); recover what was left."""
        path = path or database_path()
        with store_faults(path):
            connection = connect(path)
            try:
                return cls(path, connection, recover(connection, path))
            except BaseException:
                connection.close()
                raise

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        """Close at the end of a ``with`` block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()

    def spool(self) -> Spool:
        """Return a new spool beside this database; close it before the store."""
        return Spool(self.path)

    def create_run(self, run: Run) -> None:
        """Add a run; secrets in its arguments and address are hidden on the way in."""
        with self._writing():
            runs.insert_run(self._connection, run)

    def set_state(self, run_id: str, state: RunState) -> None:
        """Change where a run stands; raises UnknownRun."""
        with self._writing():
            runs.update_state(self._connection, run_id, state)

    def add_trial(self, run_id: str, raw: RawTrial) -> None:
        """Commit one wave: all of it or nothing."""
        with self._writing():
            trials.insert_trial(self._connection, run_id, raw)

    def set_warmup(self, run_id: str, cell: Cell, outcome: WarmupOutcome) -> None:
        """Keep how warm-up of a cell ended; a later outcome replaces an earlier one."""
        with self._writing():
            summaries.write_warmup(self._connection, run_id, cell, outcome)

    def save_result_summary(self, result: RunResult) -> None:
        """Keep what each cell came to, for lists and as the reference of later runs; replaces an earlier summary."""
        with self._writing():
            summaries.replace_results(self._connection, result)

    def warmups(self, run_id: str) -> Mapping[Cell, WarmupOutcome]:
        """Return how warm-up ended, by cell."""
        with store_faults(self.path), row_faults(self.path, f"run {run_id}"):
            return summaries.read_warmups(self._connection, run_id)

    def trials(self, run_id: str) -> Iterator[RawTrial]:
        """Yield the waves of a run as they were stored, of every phase, incomplete ones too; one in memory at a time.

        Waves that are added while this is read are not seen. An unknown run has none.
        """
        with store_faults(self.path):
            numbers = trials.trial_numbers(self._connection, run_id)
        for number in numbers:
            with store_faults(self.path), row_faults(self.path, f"run {run_id}"):
                raw = trials.read_trial(self._connection, number)
            yield raw

    def load_run(self, wanted: str) -> Run:
        """Return the run whose id is, or alone begins with, ``wanted``; the newest for ``last``.

        Raises UnknownRun, with the nearest ids as its hint, and UsageError when several runs begin so.
        """
        with store_faults(self.path):
            run_id, state, record = runs.find_run(self._connection, wanted)
        with row_faults(self.path, f"run {run_id}"):
            return runs.run_from(record, state)

    def newest_run(self) -> Run:
        """Return the run that was created last; raises UnknownRun when there is none."""
        return self.load_run(LAST)

    def list_runs(self, limit: int, unreadable: Unreadable | None = None, *, own: bool = False) -> tuple[RunRow, ...]:
        """Return the newest ones first, ``own`` without visits; what is not understood is ``unreadable`` or raised."""
        with store_faults(self.path):
            rows = runs.newest_rows(self._connection, limit, own=own)
            return readable(self.path, "run", rows, runs.row_of, unreadable)

    def count_visits(self) -> int:
        """Return how many runs are visits of experiments and sweeps."""
        with store_faults(self.path):
            return runs.count_visits(self._connection)

    def cold_reference(self, base_url: str, model: str, *, before_wall_s: Seconds = math.inf) -> TokensPerSecond | None:
        """Return the median cold prefill rate that valid cells of this endpoint and model reached, or None.

        Cells count with 2048 prompt tokens or more, no context and one stream, of runs created before
        ``before_wall_s``: a run must not be judged by itself or by what came later.
        """
        with store_faults(self.path):
            rates = summaries.cold_rates(self._connection, redact_text(base_url), model, before_wall_s)
        return statistics.median(rates) if rates else None

    def usual_wave_s(self, base_url: str, cell: Cell) -> Seconds | None:
        """Return the median time of a wave of this cell in the newest run that measured it there, or None.

        Runs of versions that did not keep it have the time of a request, which is that of a wave sent at once.
        """
        with store_faults(self.path):
            names = ("wave_s", "e2e_s")
            medians = [summaries.newest_median(self._connection, redact_text(base_url), cell, name) for name in names]
            return next((median for median in medians if median is not None), None)

    def create_experiment(self, experiment: Experiment) -> None:
        """Add the plan of an experiment; it is never changed afterwards."""
        with self._writing_durably():
            experiments.insert_experiment(self._connection, experiment)

    def load_experiment(self, wanted: str) -> Experiment:
        """Return the experiment whose id is, or alone begins with, ``wanted``; the newest for ``last`` and "".

        Raises UnknownRun, with the nearest ids as its hint, and UsageError when several begin so.
        """
        with store_faults(self.path):
            experiment_id, record = experiments.find_experiment(self._connection, wanted)
        with row_faults(self.path, f"experiment {experiment_id}"):
            return from_json(record, Experiment)

    def experiment_row(self, experiment_id: str) -> ExperimentRow:
        """Return where an experiment stands; raises UnknownRun."""
        with store_faults(self.path), row_faults(self.path, f"experiment {experiment_id}"):
            return experiments.experiment_row(self._connection, experiment_id)

    def list_experiments(
        self, limit: int, unreadable: Unreadable | None = None, *, sweeps: bool = False
    ) -> tuple[ExperimentRow, ...]:
        """Return the newest, as ``list_runs``; with ``sweeps`` also those that hold what a sweep touches."""
        with store_faults(self.path):
            rows = experiments.newest_experiments(self._connection, limit, sweeps=sweeps)
            return readable(self.path, "experiment", rows, experiments.row_of, unreadable)

    def holding(self) -> tuple[tuple[str, str], ...]:
        """Return id and server of every experiment, or sweep, that has something to take back, newest first."""
        with store_faults(self.path):
            return experiments.holding(self._connection)

    def end_experiment(
        self,
        experiment_id: str,
        state: ExperimentState,
        *,
        why: str = "",
        verdict: str = "",
        deviation: Ratio | None = None,
        afterwards: str = "",
    ) -> None:
        """Say where an experiment stands, fields as in ``ExperimentRow``; raises UnknownRun."""
        told = {"why": why, "verdict": verdict, "afterwards": afterwards}
        with self._writing_durably():
            experiments.end_experiment(self._connection, experiment_id, state, deviation=deviation, **told)

    def set_visit(self, visit: VisitRecord) -> None:
        """Keep a visit; a later record of the same visit replaces the earlier one."""
        with self._writing():
            experiments.write_visit(self._connection, visit)

    def visits(self, experiment_id: str) -> tuple[VisitRecord, ...]:
        """Return every visit that began, in the order of the plan and of attempts."""
        with store_faults(self.path), row_faults(self.path, f"experiment {experiment_id}"):
            return experiments.read_visits(self._connection, experiment_id)

    def set_curve(self, experiment_id: str, curve: MemoryCurve) -> None:
        """Keep the memory of a node over a visit."""
        with self._writing():
            curves.write_curve(self._connection, experiment_id, curve)

    def curves(self, experiment_id: str) -> tuple[MemoryCurve, ...]:
        """Return the memory of every node over every visit that was watched."""
        with store_faults(self.path), row_faults(self.path, f"experiment {experiment_id}"):
            return curves.read_curves(self._connection, experiment_id)

    def create_sweep(self, sweep: SweepRecord, experiment: Experiment) -> None:
        """Add a sweep, and the experiment that holds what its visits touch."""
        with self._writing_durably():
            experiments.insert_experiment(self._connection, experiment)
            sweeps.insert_sweep(self._connection, sweep)

    def load_sweep(self, wanted: str) -> SweepRecord:
        """Return the sweep that is meant; takes and raises what ``load_experiment`` does."""
        with store_faults(self.path):
            row = sweeps.find_sweep(self._connection, wanted)
        with row_faults(self.path, f"sweep {row['id']}"):
            return sweeps.record_of(row)

    def list_sweeps(self, limit: int, unreadable: Unreadable | None = None) -> tuple[SweepRecord, ...]:
        """Return the newest sweeps, as ``list_runs``."""
        with store_faults(self.path):
            rows = sweeps.newest_sweeps(self._connection, limit)
            return readable(self.path, "sweep", rows, sweeps.record_of, unreadable)

    def set_sweep(self, sweep: SweepRecord) -> None:
        """Say where a sweep stands; raises UnknownRun."""
        with self._writing_durably():
            sweeps.update_sweep(self._connection, sweep)

    def add_sweep_visit(self, sweep_id: str, visit: SweepVisit) -> None:
        """Keep a visit that has ended; it is on the disk when this returns."""
        with self._writing_durably():
            sweeps.write_visit(self._connection, sweep_id, visit)

    def sweep_visits(self, sweep_id: str) -> tuple[SweepVisit, ...]:
        """Return the visits of a sweep that have ended, in their order."""
        with store_faults(self.path), row_faults(self.path, f"sweep {sweep_id}"):
            return sweeps.read_visits(self._connection, sweep_id)

    def remember_held(self, experiment_id: str, held: Mapping[str, Any]) -> None:
        """Replace what an experiment has started or applied; it is on the disk when this returns."""
        with self._writing_durably():
            experiments.write_held(self._connection, experiment_id, held)

    def held(self, experiment_id: str) -> Mapping[str, Any]:
        """Return what was remembered last; empty when an experiment holds nothing."""
        with store_faults(self.path), row_faults(self.path, f"experiment {experiment_id}"):
            return experiments.read_held(self._connection, experiment_id)

    def owned(self, experiment_id: str) -> contextlib.AbstractContextManager[None]:
        """Own an experiment inside a block. Raises StoreError when a living process owns it already."""
        return owned(self.path, experiment_id)

    def at_places(self, name: str, places: Iterable[str]) -> contextlib.AbstractContextManager[None]:
        """Be alone at some places inside a block. Raises UsageError when a living process works at one of them."""
        return at_places(self.path, name, places)

    @contextlib.contextmanager
    def _writing_durably(self) -> Iterator[None]:
        with store_faults(self.path), durable_transaction(self._connection):
            yield

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        with store_faults(self.path), transaction(self._connection):
            yield
