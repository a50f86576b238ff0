"""Put ``sparktune ab`` together: read what was asked, say what it costs, run it, show it, choose the exit code."""

__all__ = ["declared_of", "resume_command", "run_command", "run_values", "worked_on"]

import asyncio
import os
import random
import sys
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sparktune.cli._ab.alone import alone_at, refuse_leftovers
from sparktune.cli._ab.arguments import values_of
from sparktune.cli._ab.boot import boot_this_machine, check_has_booted, check_may_boot, is_this_machine
from sparktune.cli._ab.earn import earn
from sparktune.cli._ab.flags import AbFlags
from sparktune.cli._ab.show import check_no_sweep, finish, show_result
from sparktune.cli._ab.stop import check_can_stop
from sparktune.cli._ab.terminal import (
    ask_person,
    check_somebody_is_there,
    hangup_as_interrupt,
    said_yes,
    sigterm_as_cancel,
)
from sparktune.cli._ab.world import World, service_values, with_image, world_of
from sparktune.cli._client_cores import client_cores
from sparktune.cli._experiment_options import ExperimentOptions
from sparktune.cli._host.ask import agreed, check_can_ask
from sparktune.cli._progress import make_progress
from sparktune.cli._terminal import fitted
from sparktune.errors import BootDue, ChangeFailed
from sparktune.experiment.design import Arm
from sparktune.experiment.plan import Experiment
from sparktune.experiment.request import declared
from sparktune.experiment.result import ExperimentResult
from sparktune.flows.ab.cost import cost_words
from sparktune.flows.ab.run import resume, run_experiment
from sparktune.flows.ab.tools import AbTools
from sparktune.flows.bench.progress import Progress
from sparktune.io.experiment_file import request_of
from sparktune.io.experiment_values import Fault
from sparktune.io.launching.hold import Hold
from sparktune.io.store.identity import new_run_id
from sparktune.io.store.store import Store
from sparktune.report.ab.text import plan_text

_SEED_BYTES = 4

_T = TypeVar("_T")
Flow = Callable[[AbTools, Experiment], Coroutine[Any, Any, _T]]


def run_command(file: Path | None, flags: AbFlags, options: ExperimentOptions, *, dry_run: bool) -> None:
    """Run a new experiment to its end. Raises a SparktuneError, with the exit code, for what the user should know."""
    experiment = declared_of(*values_of(file, flags))
    if not dry_run:
        check_can_ask(yes=options.yes)
    with Store.open() as store:
        world = world_of(experiment, options, store)
        plan = asyncio.run(world.seeing()).plan(Arm.B.value)
        text = fitted(plan_text(experiment, cost_words(store, experiment, plan)))
        if dry_run:
            sys.stdout.write(text)
            sys.stderr.write("--dry-run: nothing was started\n")
            return
        sys.stderr.write(text)
        check_somebody_is_there(plan)
        check_may_boot(plan, experiment, allowed=options.allow_reboot)
        check_can_stop(plan, experiment)
        with alone_at(store, experiment):  # before anybody is asked, too: whoever comes second is told at once
            refuse_leftovers(store, experiment)
        if not agreed("Start it?", yes=options.yes):
            sys.stderr.write("nothing was started\n")
            return
        with alone_at(store, experiment):
            refuse_leftovers(store, experiment)
            experiment = with_image(experiment, world)
            store.create_experiment(experiment)
            _carry_out(store, world, experiment, options, run_experiment)


def resume_command(prefix: str, options: ExperimentOptions, *, restore_only: bool) -> None:
    """Take back what an experiment left, then go on with it, or only restore. Raises as ``run_command``.

    With ``restore_only`` the exit code tells of that: 0 when it held, whatever the experiment came to.
    """
    with Store.open() as store:
        experiment = store.load_experiment(prefix)
        check_no_sweep(experiment)
        world = world_of(experiment, options, store)

        async def go_on(tools: AbTools, experiment: Experiment) -> ExperimentResult:
            return await resume(tools, experiment, restore_only=restore_only)

        with alone_at(store, experiment):
            if not restore_only:
                check_has_booted(store.held(experiment.id), experiment)
                refuse_leftovers(store, experiment, own=(experiment.id,))
                _carry_out(store, world, experiment, options, go_on)
                return
            over = not store.held(experiment.id) and store.experiment_row(experiment.id).afterwards
            result = worked_on(store, world, experiment, options, go_on, take_back=True)
    show_result(result, as_json=options.json)
    before = f"nothing is held any more, and nothing was touched; when it ended: {over}"
    sys.stderr.write(f"{before}\n" if over else f"restored: {result.afterwards or 'nothing had been changed'}\n")


def run_values(values: dict[str, Any], options: ExperimentOptions) -> ExperimentResult:
    """Run a new experiment of ours from the values of its file; nobody is asked, and nothing of it is shown here."""
    _, fault = values_of(None, AbFlags())
    experiment = declared_of(values, fault)
    with Store.open() as store:
        world = world_of(experiment, options, store)
        if not options.quiet:
            plan = asyncio.run(world.seeing()).plan(Arm.B.value)
            sys.stderr.write(plan_text(experiment, cost_words(store, experiment, plan)))
        with alone_at(store, experiment):
            store.create_experiment(experiment)
            return worked_on(store, world, experiment, options, run_experiment)


def declared_of(values: dict[str, Any], fault: Fault) -> Experiment:
    """Return the whole plan that the values of a file mean. Raises UsageError."""
    seed = values.get("seed")
    if seed is None:
        seed = int.from_bytes(os.urandom(_SEED_BYTES), "big")
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise fault(("seed",), f"a whole number from 0 on is wanted, not {seed!r}", "leave it out for one by chance")
    now_wall_s = time.time()
    draw = random.Random(seed)  # noqa: S311 - an order that can be repeated, not a secret
    return declared(
        replace(request_of(service_values(values), seed, fault), folder=str(Path.cwd())),
        experiment_id=new_run_id(now_wall_s, os.urandom(2)),
        created_wall_s=now_wall_s,
        seed=seed,
        draw=draw.random,
    )


def _carry_out(
    store: Store, world: World, experiment: Experiment, options: ExperimentOptions, flow: Flow[ExperimentResult]
) -> None:
    result = worked_on(store, world, experiment, options, flow)
    show_result(result, as_json=options.json)
    earn(result, options)
    finish(result)


def worked_on(
    store: Store,
    world: World,
    experiment: Experiment,
    options: ExperimentOptions,
    flow: Flow[_T],
    *,
    take_back: bool = False,
) -> _T:
    """Carry a flow out. An arm that waited for a boot is not taken back before it, but with ``take_back``."""
    progress = make_progress(quiet=options.quiet)
    with store.owned(experiment.id), hangup_as_interrupt():
        waits = bool(store.held(experiment.id).get("booting")) and not take_back
        work = _run(store, world, experiment, options, progress, flow, recover=not waits)
        try:
            return asyncio.run(sigterm_as_cancel(work))
        except BootDue as error:
            if not options.allow_reboot or not is_this_machine(experiment, world.planner, world.settings):
                raise
            progress.say(f"{error}; it boots now. {error.hint}")
            boot_this_machine()
            raise


async def _run(
    store: Store,
    world: World,
    experiment: Experiment,
    options: ExperimentOptions,
    progress: Progress,
    flow: Flow[_T],
    *,
    recover: bool,
) -> _T:
    def remember(record: Any) -> None:  # noqa: ANN401 - the hold's own record
        store.remember_held(experiment.id, record)

    if recover and (record := store.held(experiment.id)):
        await _take_back(record, world, experiment, progress, remember)
    ask = ask_person if sys.stdin.isatty() else None
    hold = Hold(world.settings, remember=remember, ask=ask, record=store.held(experiment.id) or None)
    planner = await world.seeing()
    check_may_boot(planner.plan(Arm.B.value), experiment, allowed=options.allow_reboot)
    tools = AbTools(
        store=store,
        hold=hold,
        planner=planner.bringing_back(hold.keep_original(planner.original(), begins=bool(planner.begin()))),
        gate=world.gate(progress, store.visits(experiment.id)),
        progress=progress,
        corpus=world.corpus,
        secret=world.settings.api_key,
        argv=sys.argv,
        entropy=os.urandom,
        wall_s=time.time,
        sleep=asyncio.sleep,
        go_on=partial(_go_on, progress, yes=options.yes),
        accept=options.accept,
        watch=world.watch(progress),
        asks=world.asks,
        cores=client_cores(options.client_cores, experiment.base_url, progress.say),
    )
    return await flow(tools, experiment)


async def _take_back(
    record: Any,  # noqa: ANN401 - the hold's own record
    world: World,
    experiment: Experiment,
    progress: Progress,
    remember: Callable[[Any], None],
) -> None:
    """Take back what a killed run left. Raises ChangeFailed when something of it could not be."""
    recovered = await Hold.recover(record, world.settings, remember=remember)
    for line in recovered.done:
        progress.say(line)
    if recovered.left:
        message = f"not everything of experiment {experiment.id} could be taken back: {'; '.join(recovered.left)}"
        again = f"{experiment.command} resume {experiment.id} --restore-only"
        raise ChangeFailed(message, hint=f"try again with: {again}")


async def _go_on(progress: Progress, why: str, *, yes: bool) -> bool:
    """Ask whether to go on where it looks hopeless; ``yes`` goes on without asking."""
    if yes:
        progress.say(f"going on all the same, as --yes says: {why}")
        return True
    return await said_yes(f"{why}. Go on all the same?")
