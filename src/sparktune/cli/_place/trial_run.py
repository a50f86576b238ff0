"""Put ``sparktune place trial`` together: plan, question, the part at idle, the part under load, one report."""

__all__ = ["TrialArguments", "run_trial_command"]

import asyncio
import os
import random
import sys
import time
from dataclasses import dataclass, replace
from typing import Any

from sparktune.cli._ab.terminal import hangup_as_interrupt, sigterm_as_cancel
from sparktune.cli._host.ask import agreed, check_can_ask, who
from sparktune.cli._host.progress import host_progress
from sparktune.cli._place.trial_load import (
    TrialLoad,
    endpoint_of,
    experiment_of,
    held_under_load,
    measure_load,
    unended_load,
    why_no_load,
)
from sparktune.cli._place.trial_show import print_trial, report_of, undo_trials
from sparktune.cli._place.trial_wish import target_of, wish_of
from sparktune.cli._progress import make_progress
from sparktune.cli._terminal import fitted
from sparktune.errors import SparktuneError, UsageError
from sparktune.experiment.idle_result import IdleResult
from sparktune.experiment.idle_trial import IdleTrial
from sparktune.experiment.verdict import Verdict
from sparktune.flows.place.idle_watch import NodeWatch
from sparktune.flows.place.requests import Requests
from sparktune.flows.place.scan import NodeScan, scan_nodes
from sparktune.flows.place.trial import UNDO, TrialTools, run_trial
from sparktune.flows.place.trial_plan import TrialWish, plan_idle_trial
from sparktune.io.cluster import NodeTarget
from sparktune.io.launching.steps_hold import StepsHold
from sparktune.io.store.identity import new_run_id
from sparktune.io.store.store import Store
from sparktune.model.experiment_row import ExperimentState
from sparktune.model.step import AffinityStep, Task
from sparktune.report.place.trial import trial_plan_text
from sparktune.report.place.trial_words import TrialReport

_WINDOWS = 5
_WINDOW_S = 2.0
_NO_HEAT = "the node tells no temperature"
_NOT_ASKED = "--load-only"
_WON_NOTHING = frozenset({Verdict.EQUIVALENT, Verdict.REGRESSED, Verdict.INVALID})


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialArguments:
    """The flags as they were given."""

    thread: str = ""
    cpus: str = ""
    accept_likely: bool = False
    settle: str = "120s"
    window: str = "60s"
    max_blocks: int = 8
    sensor: str = ""
    load: TrialLoad
    load_only: bool = False
    seed: int | None = None
    show: str = ""
    undo: bool = False
    dry_run: bool = False
    yes: bool = False
    as_json: bool = False
    quiet: bool = False


def run_trial_command(arguments: TrialArguments) -> None:
    """Run a trial, show one, or take back what a killed one left. Raises a SparktuneError for what goes wrong."""
    if arguments.show or arguments.undo:
        _other(arguments)
        return
    target, tid = target_of(arguments.thread)
    if not arguments.dry_run:
        check_can_ask(yes=arguments.yes)
    endpoint = endpoint_of(arguments.load)
    wish = wish_of(
        tid,
        cpus=arguments.cpus,
        times=(arguments.settle, arguments.window),
        blocks=arguments.max_blocks,
        sensor=arguments.sensor,
        accept_likely=arguments.accept_likely,
        endpoint=endpoint,
    )
    with Store.open() as store:
        _refuse_leftovers(store)
        plan = _plan(target, arguments, wish)
        if not _agreed(plan, arguments):
            return
        report = _measured_idle(store, target, plan, arguments)
    print_trial(report if report.why_load else _with_load(report, arguments), as_json=arguments.as_json)


def _plan(target: NodeTarget, arguments: TrialArguments, wish: TrialWish) -> TrialReport:
    """Return a trial that nothing was measured of, with the reasons of the parts that are left out."""
    with host_progress(quiet=arguments.quiet) as tell:
        scan = scan_nodes([target], windows=_WINDOWS, window_s=_WINDOW_S, endpoint=wish.endpoint, say=tell).nodes[0]
    trial = _planned(target, scan, arguments, wish)
    why_idle = _NOT_ASKED if arguments.load_only else "" if trial.sensor else _NO_HEAT
    why_load = why_no_load(arguments.load, wish.endpoint)
    if why_idle and why_load:
        message = f"nothing would be measured: at idle, {why_idle}; under load, {why_load}"
        raise UsageError(message, hint="name the server with --endpoint URL or --service NAME")
    return TrialReport(trial=trial, idle=None, why_idle=why_idle, why_load=why_load)


def _agreed(plan: TrialReport, arguments: TrialArguments) -> bool:
    text = fitted(trial_plan_text(plan.trial, idle=plan.why_idle, load=plan.why_load))
    if arguments.dry_run:
        sys.stdout.write(text)
        sys.stderr.write("--dry-run: nothing was changed\n")
        return False
    sys.stderr.write(text)
    if agreed("Move it, and back, as often as that?", yes=arguments.yes):
        return True
    sys.stderr.write("nothing was changed\n")
    return False


def _measured_idle(store: Store, target: NodeTarget, plan: TrialReport, arguments: TrialArguments) -> TrialReport:
    """Return the plan with what was measured at idle, and with why nothing is worth measuring under load."""
    store.idle_trials.create(plan.trial)
    if plan.why_idle:
        store.idle_trials.end(plan.trial.id, ExperimentState.DONE, plan.why_idle)
        return plan
    idle = _idle(store, target, plan.trial, arguments)
    return replace(plan, idle=idle, why_load=plan.why_load or _needless(idle))


def _other(arguments: TrialArguments) -> None:
    if arguments.thread:
        message = "--show and --undo are about trials that there were, and a thread is named, too"
        raise UsageError(message, hint="leave the thread out")
    if arguments.undo:
        undo_trials(yes=arguments.yes)
        return
    print_trial(report_of(arguments.show), as_json=arguments.as_json)


def _planned(target: NodeTarget, scan: NodeScan, arguments: TrialArguments, wish: TrialWish) -> IdleTrial:
    seed = int.from_bytes(os.urandom(4), "big") if arguments.seed is None else arguments.seed
    now_s = time.time()
    draw = random.Random(seed)  # noqa: S311 - an order that can be repeated, not a secret
    return asyncio.run(
        plan_idle_trial(
            target,
            scan,
            wish,
            trial_id=new_run_id(now_s, os.urandom(2)),
            now_s=now_s,
            seed=seed,
            draw=draw.random,
        )
    )


def _idle(store: Store, target: NodeTarget, trial: IdleTrial, arguments: TrialArguments) -> IdleResult:
    progress = make_progress(quiet=arguments.quiet)

    async def work() -> IdleResult:
        async with Requests(trial.endpoint) as requests:
            tools = TrialTools(
                store=store.idle_trials,
                hold=_hold(store, target, trial),
                watch=NodeWatch(target, trial.thread, requests),
                say=progress.say,
            )
            return await sigterm_as_cancel(run_trial(tools, trial))

    with store.idle_trials.owned(trial.id), hangup_as_interrupt():
        return asyncio.run(work())


def _hold(store: Store, target: NodeTarget, trial: IdleTrial) -> StepsHold:
    thread = trial.thread
    task = Task(pid=thread.pid, tid=thread.tid, start_time=thread.start_ticks)
    return StepsHold(
        target,
        [AffinityStep(tasks=(task,), cpus=trial.cpus)],
        f"{who()} (sparktune place trial)",
        lambda record: store.idle_trials.remember_held(trial.id, record),
    )


def _needless(idle: IdleResult) -> str:
    return "nothing is shown to be won at idle, so what it costs was not asked" if idle.verdict in _WON_NOTHING else ""


def _with_load(report: TrialReport, arguments: TrialArguments) -> TrialReport:
    """Measure under load; what was measured at idle is printed also when that fails."""
    try:
        cost = measure_load(report.trial, arguments.load, blocks=arguments.max_blocks, quiet=arguments.quiet)
    except BaseException as error:
        why = str(error) or type(error).__name__
        print_trial(replace(report, why_load=why, **_left(report.trial)), as_json=arguments.as_json, leave=False)
        raise
    with Store.open() as store:
        store.idle_trials.set_experiment(report.trial.id, cost.experiment)
    return replace(report, cost=cost)


def _left(trial: IdleTrial) -> dict[str, Any]:
    """Return what a report says of an experiment that broke off: its name, and whether its thread is still moved."""
    try:
        with Store.open() as store:
            unended, holds = unended_load(store, experiment_of(store, trial))
    except SparktuneError:
        return {}  # what broke it off is told, and is worse
    return {"unended": unended, "held": holds}


def _refuse_leftovers(store: Store) -> None:
    for row in store.idle_trials.holding():
        with store.idle_trials.owned(row.trial.id):
            pass
        message = f"trial {row.trial.id} was killed, and its thread is still moved"
        raise UsageError(message, hint=f"first: {UNDO}")
    for experiment in held_under_load(store):
        message = f"experiment {experiment} under load was killed, and its thread may still be moved"
        raise UsageError(message, hint=f"first: sparktune ab resume {experiment} --restore-only")
