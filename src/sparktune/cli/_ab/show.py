"""Show an experiment, list experiments, and leave with the exit code of its verdict."""

__all__ = ["check_no_sweep", "finish", "print_experiment", "print_list", "show_result"]

import sys

import typer

from sparktune.cli._terminal import fitted, legible
from sparktune.cli._unreadable import end_list
from sparktune.errors import ExitCode, SparktuneError, UsageError
from sparktune.experiment.plan import Experiment
from sparktune.experiment.result import ExperimentResult
from sparktune.experiment.verdict import Verdict
from sparktune.flows.ab.result import experiment_result
from sparktune.io.store.owner import owner_of
from sparktune.io.store.store import Store
from sparktune.report.ab.json import result_json, rows_json
from sparktune.report.ab.text import result_text, rows_text

_DECIDED = frozenset({Verdict.IMPROVED, Verdict.REGRESSED, Verdict.EQUIVALENT})


def show_result(result: ExperimentResult, *, as_json: bool, whole: bool = False) -> None:
    """Print the result to stdout; JSON is always whole."""
    sys.stdout.write(result_json(result) if as_json else fitted(result_text(result, whole=whole)))
    sys.stdout.flush()


def finish(result: ExperimentResult) -> None:
    """Leave with the exit code of the verdict; its first line has said why already."""
    if result.verdict is Verdict.STOPPED:
        raise typer.Exit(int(ExitCode.GUARD_STOPPED))
    if result.verdict is Verdict.DIFFERENT:
        raise typer.Exit(int(ExitCode.DIFFERENCES))
    if result.verdict not in _DECIDED:
        raise typer.Exit(int(ExitCode.NOT_CONCLUSIVE))


def print_experiment(prefix: str, *, as_json: bool, whole: bool) -> None:
    """Print what an experiment came to, and leave as it did."""
    with Store.open() as store:
        experiment = store.load_experiment(prefix)
        check_no_sweep(experiment)
        result = experiment_result(store, experiment)
    show_result(result, as_json=as_json, whole=whole)
    finish(result)


def check_no_sweep(experiment: Experiment) -> None:
    """Raise UsageError for what only holds what the visits of a sweep touch."""
    if experiment.sweep:
        message = f"{experiment.id} is a sweep, not an experiment"
        raise UsageError(message, hint=f"see it with: sparktune sweep show {experiment.id}")


def print_list(limit: int, *, as_json: bool) -> None:
    """Print the newest experiments; what cannot be understood of them is named afterwards."""
    unreadable: list[SparktuneError] = []
    with Store.open() as store:
        rows = store.list_experiments(limit, unreadable.append)
        where = store.path
        owners = {row.id: owner_of(where, row.id) for row in rows}
    if as_json:
        sys.stdout.write(rows_json(rows, owners))
    elif rows:
        sys.stdout.write(fitted(rows_text(rows, owners)))
    elif not unreadable:
        sys.stderr.write(legible(f"no experiments in {where} yet\nhint: start one with: sparktune ab FILE\n"))
    end_list(unreadable)
