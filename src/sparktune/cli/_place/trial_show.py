"""Print a trial, now or later from the store, with its exit code; and take back what a killed one left."""

__all__ = ["print_trial", "report_of", "undo_trials"]

import asyncio
import sys
from collections.abc import Sequence

import typer

from sparktune.cli._host.ask import agreed, who
from sparktune.cli._place.trial_load import experiment_of, held_under_load, unended_load
from sparktune.cli._terminal import fitted
from sparktune.errors import ChangeFailed, ExitCode
from sparktune.experiment.idle_result import conclude_idle
from sparktune.experiment.load_cost import cost_of
from sparktune.experiment.verdict import Verdict
from sparktune.flows.ab.result import experiment_result
from sparktune.flows.place.trial import take_back_trial
from sparktune.io.store.idle_trials import IdleRow
from sparktune.io.store.store import Store
from sparktune.report.place.trial import trial_json, trial_text
from sparktune.report.place.trial_words import TrialReport

_DECIDED = frozenset({Verdict.IMPROVED, Verdict.REGRESSED, Verdict.EQUIVALENT})


def report_of(prefix: str) -> TrialReport:
    """Return a trial of the store, computed anew. Raises UnknownRun and UsageError."""
    with Store.open() as store:
        row = store.idle_trials.load(prefix)
        experiment = row.experiment or experiment_of(store, row.trial)
        cost = cost_of(experiment_result(store, store.load_experiment(experiment))) if experiment else None
        unended, holds = unended_load(store, experiment)
    return TrialReport(
        trial=row.trial,
        idle=conclude_idle(row.trial, row.visits, row.why) if row.visits else None,
        cost=cost,
        why_idle=row.why or f"no visit was made; the trial is {row.state.value}",
        why_load="no experiment goes with this trial",
        held=bool(row.held) or holds,
        unended=unended,
    )


def print_trial(report: TrialReport, *, as_json: bool, leave: bool = True) -> None:
    """Print it to stdout; with ``leave`` leave with its exit code."""
    sys.stdout.write(trial_json(report) if as_json else fitted(trial_text(report)))
    sys.stdout.flush()
    code = _exit_code_of(report)
    if leave and code:
        raise typer.Exit(int(code))


def _exit_code_of(report: TrialReport) -> ExitCode:
    """Return 0 when every part that was measured has a verdict, 4 when a guard stopped the load, 5 else."""
    verdicts = [part.verdict for part in (report.idle, report.cost) if part is not None]
    if Verdict.STOPPED in verdicts:
        return ExitCode.GUARD_STOPPED
    decided = bool(verdicts) and all(verdict in _DECIDED for verdict in verdicts)
    return ExitCode.DONE if decided else ExitCode.NOT_CONCLUSIVE


def undo_trials(*, yes: bool) -> None:
    """Take back what killed trials left. Raises UsageError where nobody can be asked, ChangeFailed, NodeError."""
    with Store.open() as store:
        rows, under_load = store.idle_trials.holding(), held_under_load(store)
        if rows:
            _undo(store, rows, yes=yes)
        elif not under_load:
            sys.stderr.write("nothing of a trial is left; nothing was touched\n")
        for experiment in under_load:
            message = f"experiment {experiment} under load was killed, and its thread may still be moved"
            raise ChangeFailed(message, hint=f"take it back with: sparktune ab resume {experiment} --restore-only")


def _undo(store: Store, rows: Sequence[IdleRow], *, yes: bool) -> None:
    names = ", ".join(f"{row.trial.id} (tid {row.trial.thread.tid} on {row.trial.node})" for row in rows)
    if not agreed(f"Give back the CPUs of trial {names}?", yes=yes):
        sys.stderr.write("nothing was changed\n")
        return
    for row in rows:
        with store.idle_trials.owned(row.trial.id):
            for line in asyncio.run(take_back_trial(store.idle_trials, row, who())):
                sys.stderr.write(f"{line}\n")
