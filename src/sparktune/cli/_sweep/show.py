"""Show a sweep, list sweeps, and leave with the exit code of what one came to."""

__all__ = ["exit_code_of", "finish", "print_list", "print_sweep", "show_result"]

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import typer

from sparktune.cli._terminal import fitted, legible
from sparktune.cli._unreadable import end_list
from sparktune.errors import ExitCode, SparktuneError, StoreError
from sparktune.experiment.sweep_result import SweepResult
from sparktune.experiment.verdict import Verdict
from sparktune.flows.sweep.predict import sweep_outcomes
from sparktune.flows.sweep.run import sweep_result
from sparktune.io.store.owner import owner_of
from sparktune.io.store.store import Store
from sparktune.model.prediction import Outcome
from sparktune.model.sweep_record import SweepRecord
from sparktune.report.sweep.json import result_json, rows_json
from sparktune.report.sweep.text import result_text, rows_text


def show_result(result: SweepResult, outcomes: Sequence[Outcome] = (), *, as_json: bool) -> None:
    """Print a sweep to stdout, with its predictions beside what was measured."""
    sys.stdout.write(result_json(result, outcomes) if as_json else fitted(result_text(result, outcomes)))
    sys.stdout.flush()


def finish(result: SweepResult) -> None:
    """Leave with the exit code of what it came to; its first line has said why already."""
    if code := exit_code_of(result):
        raise typer.Exit(int(code))


def exit_code_of(result: SweepResult) -> ExitCode:
    """Return 0 for a confirmed winner whose guards hold, 4 where a guard stopped the confirmation, else 5.

    A verdict of ``ab`` ends with 0 also where a guard is worse: its question was which arm is better, and REGRESSED is
    an answer, too. A sweep is asked for something to use.
    """
    if result.won:
        return ExitCode.DONE
    stopped = result.confirmed is not None and result.confirmed.verdict is Verdict.STOPPED
    return ExitCode.GUARD_STOPPED if stopped else ExitCode.NOT_CONCLUSIVE


def print_sweep(prefix: str, *, as_json: bool) -> None:
    """Print what a sweep came to so far, and leave as it did."""
    with Store.open() as store:
        result = sweep_result(store, store.load_sweep(prefix))
        outcomes = sweep_outcomes(store, result)
    show_result(result, outcomes, as_json=as_json)
    finish(result)


def _owner(where: Path, record: SweepRecord) -> str:
    """Return who works on a sweep, or on its confirmation."""
    return owner_of(where, record.id) or (owner_of(where, record.confirm) if record.confirm else "")


def print_list(limit: int, *, as_json: bool) -> None:
    """Print the newest sweeps; what cannot be understood of them is named afterwards."""
    unreadable: list[SparktuneError] = []
    with Store.open() as store:
        results = list(_readable(store, limit, unreadable))
        where = store.path
        owners = {one.record.id: _owner(where, one.record) for one in results}
    if as_json:
        sys.stdout.write(rows_json(results, owners))
    elif results:
        sys.stdout.write(fitted(rows_text(results, owners)))
    elif not unreadable:
        sys.stderr.write(
            legible(f"no sweeps in {where} yet\nhint: start one with: sparktune sweep --knob NAME=VALUES ...\n")
        )
    end_list(unreadable)


def _readable(store: Store, limit: int, unreadable: list[SparktuneError]) -> Iterator[SweepResult]:
    """Yield the newest sweeps that can be understood with all that belongs to them."""
    for record in store.list_sweeps(limit, unreadable.append):
        try:
            yield sweep_result(store, record)
        except SparktuneError as error:
            unreadable.append(StoreError(f"sweep {record.id}: {error}", hint=error.hint))
