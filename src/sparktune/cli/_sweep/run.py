"""Put ``sparktune sweep`` together: plan, choose, confirm, show; one owner and one hold for all visits that choose."""

__all__ = ["resume_command", "run_command", "told_as_sweep"]

import asyncio
import os
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from sparktune.cli._ab.alone import alone_at, refuse_leftovers
from sparktune.cli._ab.earn import earn
from sparktune.cli._ab.run import worked_on
from sparktune.cli._ab.stop import check_can_stop
from sparktune.cli._ab.world import with_image, world_of
from sparktune.cli._experiment_options import ExperimentOptions
from sparktune.cli._host.ask import agreed, check_can_ask
from sparktune.cli._sweep.flags import SweepFlags
from sparktune.cli._sweep.plan import engine_of, plan_shown, wanted_of
from sparktune.cli._sweep.show import finish, show_result
from sparktune.cli._sweep.study import proposer, tell_study, withdraw
from sparktune.cli._terminal import fitted
from sparktune.deploy.arm_planner import ArmPlanner
from sparktune.deploy.sweep_arms import planner_for
from sparktune.errors import NotConclusive, SparktuneError
from sparktune.experiment.design import Arm
from sparktune.experiment.plan import Experiment
from sparktune.experiment.result import ExperimentResult
from sparktune.flows.ab.run import resume, run_experiment
from sparktune.flows.ab.tools import AbTools
from sparktune.flows.sweep.confirm import confirmation
from sparktune.flows.sweep.ground import shared_memory
from sparktune.flows.sweep.plan import confirming_words, cost_lines, planned
from sparktune.flows.sweep.predict import foretold, sweep_outcomes
from sparktune.flows.sweep.run import restore_sweep, run_sweep, sweep_result
from sparktune.flows.sweep.visit import SweepTools
from sparktune.io.store.identity import new_run_id
from sparktune.io.store.store import Store
from sparktune.model.experiment_row import ExperimentState
from sparktune.model.sweep import BASELINE, Candidate, SweepState
from sparktune.model.sweep_record import SweepRecord
from sparktune.report.sweep.text import plan_text


def run_command(file: Path | None, flags: SweepFlags, options: ExperimentOptions, *, dry_run: bool) -> None:
    """Run a new sweep to its end. Raises a SparktuneError, with the exit code, for what the user should know."""
    wanted = wanted_of(file, flags)
    if not dry_run:
        check_can_ask(yes=options.yes)
    with Store.open() as store:
        world = world_of(wanted.first, options, store)
        if dry_run:
            sys.stdout.write(fitted(plan_shown(wanted, world, store)))
            sys.stderr.write("--dry-run: nothing was started\n")
            return
        planner = asyncio.run(world.seeing())
        memory = shared_memory(world.watched).size
        propose = proposer(flags.study, flags.proposals, wanted.first)
        record, umbrella = planned(wanted.asked(planner, engine_of(wanted, world), memory, propose), store)
        text = fitted(plan_text(record, umbrella, cost_lines(record), foretold(store, record, umbrella)))
        sys.stderr.write(text)
        check_can_stop(planner_for(planner, record, record.plan.screened[0]).plan(Arm.B.value), umbrella)
        with alone_at(store, umbrella):  # before anybody is asked, too: whoever comes second is told at once
            refuse_leftovers(store, umbrella)
        if not agreed("Start it?", yes=options.yes):
            sys.stderr.write("nothing was started\n")
            if flags.study:
                withdraw(flags.study, record, umbrella)
            return
        with alone_at(store, umbrella):
            refuse_leftovers(store, umbrella)
            umbrella = with_image(umbrella, world)
            store.create_sweep(record, umbrella)
            sys.stderr.write(f"sweep {record.id}\n")
            _carry_out(store, umbrella, record, options, study=flags.study)


def resume_command(prefix: str, options: ExperimentOptions, *, restore_only: bool, study: str = "") -> None:
    """Take back what a sweep left, then go on with it, or only restore. Raises as ``run_command``."""
    with Store.open() as store:
        record = store.load_sweep(prefix)
        umbrella = store.load_experiment(record.id)
        with alone_at(store, umbrella):
            if restore_only:
                _restore(store, umbrella, record, options)
                return
            refuse_leftovers(store, umbrella, own=(record.id, record.confirm))
            if record.state is not SweepState.DONE and not record.winner:
                _check_image(store, umbrella, options)
            _carry_out(store, umbrella, record, options, study=study)


def _carry_out(
    store: Store, umbrella: Experiment, record: SweepRecord, options: ExperimentOptions, *, study: str
) -> None:
    """Choose where nothing was chosen yet, confirm what was not confirmed yet, tell the study, and show all of it."""
    over = record.winner or record.state is SweepState.DONE
    if not over or store.held(record.id):
        record = _chosen(store, umbrella, record, options)
    if study:
        tell_study(study, store, record, umbrella)
    result: ExperimentResult | None = None
    if record.winner and record.state is not SweepState.DONE:
        record, result = _confirmed(store, umbrella, record, options)
    shown = sweep_result(store, record)
    show_result(shown, sweep_outcomes(store, shown), as_json=options.json)
    if result is not None:
        earn(result, options)
    finish(shown)


def _chosen(store: Store, umbrella: Experiment, record: SweepRecord, options: ExperimentOptions) -> SweepRecord:
    async def choose(tools: AbTools, experiment: Experiment) -> SweepRecord:
        return await run_sweep(_tools(store, tools, record), experiment, record)

    return worked_on(store, world_of(umbrella, options, store), umbrella, options, choose)


def _confirmed(
    store: Store, umbrella: Experiment, record: SweepRecord, options: ExperimentOptions
) -> tuple[SweepRecord, ExperimentResult]:
    if not record.confirm:
        now_s = time.time()
        experiment = confirmation(
            record,
            umbrella,
            _winner(store, record),
            experiment_id=new_run_id(now_s, os.urandom(2)),
            created_wall_s=now_s,
            draw=random.Random(umbrella.seed).random,  # noqa: S311 - an order that can be repeated, not a secret
        )
        store.create_experiment(experiment)
        record = replace(record, confirm=experiment.id)
        store.set_sweep(record)
    experiment = store.load_experiment(record.confirm)
    sys.stderr.write(f"{confirming_words(record, store.sweep_visits(record.id))}: experiment {experiment.id}\n")

    async def confirm(tools: AbTools, experiment: Experiment) -> ExperimentResult:
        if store.experiment_row(experiment.id).state is ExperimentState.DONE or store.visits(experiment.id):
            return await resume(tools, experiment, restore_only=False)
        return await run_experiment(tools, experiment)

    with told_as_sweep(record):
        result = worked_on(store, world_of(experiment, options, store), experiment, options, confirm)
    record = replace(record, state=SweepState.DONE)
    store.set_sweep(record)
    return record, result


@contextmanager
def told_as_sweep(record: SweepRecord) -> Iterator[None]:
    """Have whatever ends a confirmation say how to go on with the sweep: what would follow it is of the sweep."""
    try:
        yield
    except SparktuneError as error:
        error.hint = error.hint.replace(f"ab resume {record.confirm}", f"sweep resume {record.id}")
        raise


def _restore(store: Store, umbrella: Experiment, record: SweepRecord, options: ExperimentOptions) -> None:
    async def restored(tools: AbTools, experiment: Experiment) -> SweepRecord:
        return await restore_sweep(_tools(store, tools, record), experiment, record)

    async def of_confirmation(tools: AbTools, experiment: Experiment) -> str:
        return (await resume(tools, experiment, restore_only=True)).afterwards

    last = record.confirm or record.id
    over = "" if store.held(last) else store.experiment_row(last).afterwards
    if over:
        sys.stderr.write(f"nothing is held any more, and nothing was touched; when it ended: {over}\n")
        return
    if record.confirm:
        experiment = store.load_experiment(record.confirm)
        world = world_of(experiment, options, store)
        told = worked_on(store, world, experiment, options, of_confirmation, take_back=True)
    else:
        world = world_of(umbrella, options, store)
        told = worked_on(store, world, umbrella, options, restored, take_back=True).afterwards
    sys.stderr.write(f"restored: {told or 'nothing had been changed'}\n")


def _tools(store: Store, tools: AbTools, record: SweepRecord) -> SweepTools:
    planner = tools.planner

    def planner_of(candidate: Candidate) -> ArmPlanner:
        return planner_for(planner, record, candidate)

    logs = store.path.parent / "ab-logs" / record.id
    return SweepTools(ab=replace(tools, planner=planner_of(Candidate(key=BASELINE))), planner_of=planner_of, logs=logs)


def _winner(store: Store, record: SweepRecord) -> Candidate:
    known = sweep_result(store, record, confirmed=False).known
    return next(one.candidate for one in known if one.candidate.key == record.winner)


def _check_image(store: Store, umbrella: Experiment, options: ExperimentOptions) -> None:
    """Refuse to go on with another image: what was measured before is of the one that ran then."""
    was = umbrella.scope.get("image_digest")
    if was is None or store.held(umbrella.id):
        return
    now = with_image(umbrella, world_of(umbrella, options, store)).scope.get("image_digest")
    if now is not None and now != was:
        message = f"the service runs another image now ({now}), and the sweep was measured with {was}"
        raise NotConclusive(message, hint="bring that image back, or start a new sweep")
