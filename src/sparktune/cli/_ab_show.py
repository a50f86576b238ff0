"""Show an experiment, list experiments, and leave with the exit code of its verdict."""

__all__ = ["finish", "print_experiment", "print_list", "show_result"]

import sys

import typer

from sparktune.errors import ExitCode
from sparktune.experiment.result import ExperimentResult
from sparktune.experiment.verdict import Verdict
from sparktune.flows.ab_result import experiment_result
from sparktune.io.store.owner import owner_of
from sparktune.io.store.store import Store
from sparktune.report.ab.json import result_json, rows_json
from sparktune.report.ab.text import result_text, rows_text

_DECIDED = frozenset({Verdict.IMPROVED, Verdict.REGRESSED, Verdict.EQUIVALENT})


def show_result(result: ExperimentResult, *, as_json: bool) -> None:
    """Print the result to stdout."""
    sys.stdout.write(result_json(result) if as_json else result_text(result))
    sys.stdout.flush()


def finish(result: ExperimentResult) -> None:
    """Leave with the exit code of the verdict; its first line has said why already."""
    if result.verdict is Verdict.STOPPED:
        raise typer.Exit(int(ExitCode.GUARD_STOPPED))
    if result.verdict is Verdict.DIFFERENT:
        raise typer.Exit(int(ExitCode.DIFFERENCES))
    if result.verdict not in _DECIDED:
        raise typer.Exit(int(ExitCode.NOT_CONCLUSIVE))


def print_experiment(prefix: str, *, as_json: bool) -> None:
    """Print what an experiment came to, and leave as it did."""
    with Store.open() as store:
        result = experiment_result(store, store.load_experiment(prefix))
    show_result(result, as_json=as_json)
    finish(result)


def print_list(limit: int, *, as_json: bool) -> None:
    """Print the newest experiments."""
    with Store.open() as store:
        rows = store.list_experiments(limit)
        where = store.path
        owners = {row.id: owner_of(where, row.id) for row in rows}
    if as_json:
        sys.stdout.write(rows_json(rows, owners))
    elif rows:
        sys.stdout.write(rows_text(rows, owners))
    else:
        sys.stderr.write(f"no experiments in {where} yet\nhint: start one with: sparktune ab FILE\n")
