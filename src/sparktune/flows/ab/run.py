"""Run an experiment to its verdict: block after block, looks where they were declared, everything brought back.

The plan is in the store before the first trial. Whatever ends it, the original is set again and seen to be live; what a
killed process left is known to the store, and ``resume`` takes it back.
"""

__all__ = ["resume", "run_experiment"]

import asyncio
from collections.abc import Mapping, Sequence

from sparktune.errors import (
    ArmFailed,
    BootDue,
    Interrupted,
    NotOpenAI,
    RequestRejected,
    SparktuneError,
    StoreError,
    UnknownModel,
    UsageError,
)
from sparktune.experiment.blocks import complete_blocks
from sparktune.experiment.conclude import missing_primary
from sparktune.experiment.design import Block
from sparktune.experiment.plan import Experiment, VisitRecord, VisitState
from sparktune.experiment.result import ExperimentResult, GuardStatus, MeasuredVisit
from sparktune.experiment.verdict import Verdict
from sparktune.experiment.visit_checks import visit_checks
from sparktune.flows.ab.lost import after_loss
from sparktune.flows.ab.restore import MemoryNotBack, restore, restore_without_store, set_winner
from sparktune.flows.ab.result import Results, experiment_result
from sparktune.flows.ab.tools import AbTools, to_the_end
from sparktune.flows.ab.visit import Place, run_visit
from sparktune.model.check import Status
from sparktune.model.experiment_row import ExperimentState
from sparktune.report.ab.harm_words import standing_caveat
from sparktune.report.ab.words import verdict_words
from sparktune.units import format_chance, format_duration

_HOPELESS = 0.05
_LEAST = 2


async def run_experiment(tools: AbTools, experiment: Experiment) -> ExperimentResult:
    """Go on with an experiment that is in the store, from its first unfinished block, and return its result.

    The caller owns the experiment. Raises BootDue when this machine has to boot before it goes on, with the arm left as
    it was set. Raises Interrupted after Ctrl-C or SIGTERM, and what a visit raises, when the
    original has been restored; and what restoring raises.
    """
    results = Results(tools.store)
    tools.store.end_experiment(experiment.id, ExperimentState.RUNNING)
    try:
        if began := tools.planner.begin():
            await tools.hold.perform(began)
        why = await _blocks(tools, experiment, results)
    except BootDue as error:
        tools.store.end_experiment(experiment.id, ExperimentState.INTERRUPTED, why=str(error))
        error.hint = f"boot it, and go on with: sparktune ab resume {experiment.id}"
        raise
    except BaseException as error:
        await _give_up(tools, experiment, results, error)
        raise
    return await to_the_end(_conclude(tools, experiment, results, why), tools.progress.say)


async def resume(tools: AbTools, experiment: Experiment, *, restore_only: bool) -> ExperimentResult:
    """Go on with an interrupted or killed experiment, or only bring the original back; what it held is free already.

    One that had ended is only restored, and one that holds nothing any more is not touched again: what runs now may be
    in use, and would be restarted. Raises as ``run_experiment``.
    """
    row = tools.store.experiment_row(experiment.id)
    if not restore_only and row.state is not ExperimentState.DONE:
        return await run_experiment(tools, experiment)
    results = Results(tools.store)
    if tools.store.held(experiment.id) or not row.afterwards:
        state = row.state if row.state is ExperimentState.DONE else ExperimentState.INTERRUPTED
        await to_the_end(_restored(tools, experiment, results, state, row.why), tools.progress.say)
    return experiment_result(tools.store, experiment, results)


async def _restored(
    tools: AbTools, experiment: Experiment, results: Results, state: ExperimentState, why: str = ""
) -> str:
    """Restore, keep how that was seen, and return it; "" when nothing was touched yet."""
    touched = tools.store.visits(experiment.id) or tools.store.held(experiment.id)
    proof = await restore(tools, experiment) if touched else ""
    _keep(tools, experiment_result(tools.store, experiment, results), state, why, proof)
    return proof


async def _blocks(tools: AbTools, experiment: Experiment, results: Results) -> str:
    """Measure until there is a verdict, or none to be had; return why it ended early, where that has to be said."""
    while True:
        visits = [results.of(record) for record in tools.store.visits(experiment.id)]
        done = complete_blocks(visits)
        if _voided(experiment, visits) or any(visit.record.state is VisitState.STOPPED for visit in visits):
            return ""
        due = experiment.rules.look_after(len(done)) is not None
        if due:
            result = experiment_result(tools.store, experiment, results)
            why = await _look(tools, result)
            if result.verdict is not None or why:
                return why
        left = [block for block in experiment.blocks if block.number not in done]
        if not left:
            return ""
        await _block(tools, experiment, left[0], results)


def _voided(experiment: Experiment, visits: Sequence[MeasuredVisit]) -> bool:
    """Tell whether nothing that is measured from now on could give a verdict."""
    invalid = any(check.status is Status.INVALID for check in visit_checks(experiment, visits))
    return invalid or bool(missing_primary(experiment, visits))


async def _block(tools: AbTools, experiment: Experiment, block: Block, results: Results) -> None:
    records = tools.store.visits(experiment.id)
    own = [record for record in records if record.block == block.number]
    # A visit that waited for this machine to boot is gone on with, and the one before it in its block counts.
    booting = next((record for record in own if record.state is VisitState.BOOTING), None)
    attempt = booting.attempt if booting else 1 + max((record.attempt for record in own), default=0)
    others = [results.of(record).result for record in records if record.block != block.number]
    earlier = [result for result in others if result is not None]
    began_s = tools.wall_s()
    owed = _owed(experiment, results, own, attempt) if booting else {}
    for place in range(booting.place if booting else 0, 2):
        where = Place(block=block, attempt=attempt, place=place)
        booted = booting is not None and place == booting.place
        visit, owed = await run_visit(tools, experiment, where, owed=owed, earlier=earlier, booted=booted)
        results.add(visit)
        if visit.record.lost:
            await after_loss(tools, experiment, visit.record)
            return
        await tools.hold.release()
        if visit.record.state is not VisitState.DONE or _voided(experiment, [visit]):
            return
    _tell_time(tools, experiment, block, tools.wall_s() - began_s)


def _owed(experiment: Experiment, results: Results, own: Sequence[VisitRecord], attempt: int) -> Mapping[str, int]:
    """Return the further trials that the first visit of a block had, which was made before this machine booted."""
    done = [result for record in own if record.attempt == attempt and (result := results.of(record).result)]
    asked = experiment.workload.trials
    return {row.cell.label: row.trials - asked for result in done for row in result.cells if row.trials > asked}


def _tell_time(tools: AbTools, experiment: Experiment, block: Block, took_s: float) -> None:
    left = len(experiment.blocks) - block.number
    coming = next((look.blocks for look in experiment.rules.looks if look.blocks > block.number), None)
    look = f"; the next look is after block {coming}" if coming and coming <= len(experiment.blocks) else ""
    most = f", at most {format_duration(left * took_s)} more" if left else ""
    tools.progress.say(f"block {block.number} took {format_duration(took_s)}{most}{look}")


async def _look(tools: AbTools, result: ExperimentResult) -> str:
    """Tell what a look shows. Return why the experiment ends, when it is hopeless and nobody wants to go on."""
    blocks = len(result.blocks)
    if result.verdict is not None:
        tools.progress.say(f"look after {blocks} blocks: {verdict_words(result)}")
        return ""
    if result.chance is None or blocks >= len(result.experiment.blocks):
        return ""
    chance = format_chance(result.chance)
    tools.progress.say(f"look after {blocks} blocks: no verdict yet; the chance of one by the last is {chance}")
    if result.chance >= _HOPELESS:
        return ""
    why = f"after {blocks} blocks the chance of a verdict by the last one was {chance}"
    return "" if await tools.go_on(why) else f"it was ended there: {why}"


async def _conclude(tools: AbTools, experiment: Experiment, results: Results, why: str) -> ExperimentResult:
    result = experiment_result(tools.store, experiment, results)
    proven = all(guard.status is GuardStatus.OK for guard in result.guards)
    won = result.verdict is Verdict.IMPROVED and proven and tools.accept
    # What was measured is kept before anything is touched again.
    _keep(tools, result, ExperimentState.DONE, why, "")
    try:
        proof = await _winner_or_original(tools, experiment) if won else await restore(tools, experiment)
    except MemoryNotBack as error:
        tools.progress.say(f"{error}; {error.hint}")
        proof = f"the original was NOT brought back: {error}; {error.hint}"
    except SparktuneError as error:
        shown = f"what was measured is shown by: sparktune ab show {experiment.id}"
        error.hint = f"{error.hint}; {shown}" if error.hint else shown
        raise
    _keep(tools, result, ExperimentState.DONE, why, proof)
    return experiment_result(tools.store, experiment, results)


async def _winner_or_original(tools: AbTools, experiment: Experiment) -> str:
    try:
        return await set_winner(tools, experiment)
    except SparktuneError as error:
        tools.progress.say(f"the winner could not be set: {error}")
        return f"the winner could not be set ({error}); {await restore(tools, experiment)}"


async def _give_up(tools: AbTools, experiment: Experiment, results: Results, error: BaseException) -> None:
    """Restore after whatever ended the experiment; say how to go on. Raises Interrupted for an interruption."""
    task = asyncio.current_task()
    interrupted = isinstance(error, asyncio.CancelledError | Interrupted | KeyboardInterrupt)
    if isinstance(error, asyncio.CancelledError) and task is not None:
        task.uncancel()
    tools.progress.say("interrupted: bringing the original back" if interrupted else "bringing the original back")
    if isinstance(error, StoreError):
        proof = await to_the_end(restore_without_store(tools, experiment), tools.progress.say)
        tools.progress.say(f"restored, which the store does not know: {proof}")
        error.hint = f"{error.hint}; go on with: sparktune ab resume {experiment.id}"
        return
    proof = await to_the_end(_restored(tools, experiment, results, ExperimentState.INTERRUPTED), tools.progress.say)
    hint = _how_on(tools, experiment, error)
    if interrupted:
        message = f"experiment {experiment.id} was interrupted; {proof or 'nothing was changed yet'}"
        raise Interrupted(message, hint=hint) from error
    if isinstance(error, SparktuneError):
        of_bench = "sparktune bench" in error.hint  # a visit is a run, but it is not gone on with as one
        error.hint = f"{error.hint}; {hint}" if error.hint and not of_bench else hint


def _how_on(tools: AbTools, experiment: Experiment, error: BaseException) -> str:
    """Say what comes after an error, everything being restored.

    An arm that never was measured has to be fixed, and in a stored experiment it cannot be.
    """
    visits = tools.store.visits(experiment.id)
    of_arm = isinstance(error, ArmFailed | NotOpenAI | RequestRejected | UnknownModel | UsageError)
    live = any(visit.state is VisitState.DONE for visit in visits if visit.arm is visits[-1].arm)
    if not of_arm or live or not visits:
        return f"go on with: sparktune ab resume {experiment.id}"
    return f"fix arm {visits[-1].arm.value} and start a new experiment: a stored one cannot be edited"


def _keep(tools: AbTools, result: ExperimentResult, state: ExperimentState, why: str, proof: str) -> None:
    effect = result.judgement.effect
    tools.store.end_experiment(
        result.experiment.id,
        state,
        why=why or standing_caveat(result),
        verdict=_verdict_word(result, why),
        deviation=effect.deviation if effect is not None and effect.blocks >= _LEAST else None,
        afterwards=proof,
    )


def _verdict_word(result: ExperimentResult, why: str) -> str:
    if result.verdict is not None:
        return result.verdict.value
    return Verdict.INCONCLUSIVE.value if why else ""
