"""Print a trial, now or later from the store, with its exit code; and take back what a killed one left."""

__all__ = ["Shown", "exit_code_of", "print_trial", "undo_trials"]

import asyncio
import sys
from dataclasses import dataclass, replace

import typer

from sparktune.cli._host_ask import agreed, who
from sparktune.errors import ExitCode
from sparktune.experiment.idle_result import IdleResult, conclude_idle
from sparktune.experiment.idle_trial import IdleTrial
from sparktune.experiment.load_cost import LoadCost, cost_of
from sparktune.experiment.verdict import Verdict
from sparktune.flows.ab_result import experiment_result
from sparktune.flows.place_trial import take_back_trial
from sparktune.io.store.store import Store
from sparktune.report.bench.words import one_line
from sparktune.report.place.trial import trial_json, trial_text

_DECIDED = frozenset({Verdict.IMPROVED, Verdict.REGRESSED, Verdict.EQUIVALENT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A trial with its parts; a part that is None has its reason."""

    trial: IdleTrial
    idle: IdleResult | None
    cost: LoadCost | None = None
    why_idle: str = ""
    why_load: str = ""

    @classmethod
    def of(cls, prefix: str) -> "Shown":
        """Return a trial of the store, computed anew. Raises UnknownRun and UsageError."""
        with Store.open() as store:
            row = store.idle_trials.load(prefix)
            cost = None
            if row.experiment:
                cost = cost_of(experiment_result(store, store.load_experiment(row.experiment)))
        idle = conclude_idle(row.trial, row.visits, row.why) if row.visits else None
        why = row.why or f"no visit was made; the trial is {row.state.value}"
        return cls(trial=row.trial, idle=idle, cost=cost, why_idle=why, why_load="no experiment goes with this trial")

    def with_cost(self, cost: LoadCost) -> "Shown":
        """Return the same with what it costs."""
        return replace(self, cost=cost)

    def without_load(self, why: str) -> "Shown":
        """Return the same with the reason why that is not known."""
        return replace(self, why_load=one_line(why))


def print_trial(shown: Shown, *, as_json: bool, leave: bool = True) -> None:
    """Print it to stdout; with ``leave`` leave with its exit code."""
    write = trial_json if as_json else trial_text
    text = write(shown.trial, shown.idle, shown.cost, why_idle=shown.why_idle, why_load=shown.why_load)
    sys.stdout.write(text)
    sys.stdout.flush()
    code = exit_code_of(shown)
    if leave and code:
        raise typer.Exit(int(code))


def exit_code_of(shown: Shown) -> ExitCode:
    """Return 0 when every part that was measured has a verdict, 4 when a guard stopped the load, 5 else."""
    verdicts = [part.verdict for part in (shown.idle, shown.cost) if part is not None]
    if Verdict.STOPPED in verdicts:
        return ExitCode.GUARD_STOPPED
    decided = bool(verdicts) and all(verdict in _DECIDED for verdict in verdicts)
    return ExitCode.DONE if decided else ExitCode.NOT_CONCLUSIVE


def undo_trials(*, yes: bool) -> None:
    """Take back what killed trials left. Raises UsageError where nobody can be asked, ChangeFailed, NodeError."""
    with Store.open() as store:
        rows = store.idle_trials.holding()
        if not rows:
            sys.stderr.write("nothing of a trial is left; nothing was touched\n")
            return
        names = ", ".join(f"{row.trial.id} (tid {row.trial.thread.tid} on {row.trial.node})" for row in rows)
        if not agreed(f"Give back the CPUs of trial {names}?", yes=yes):
            sys.stderr.write("nothing was changed\n")
            return
        for row in rows:
            with store.idle_trials.owned(row.trial.id):
                for line in asyncio.run(take_back_trial(store.idle_trials, row, who())):
                    sys.stderr.write(f"{line}\n")
