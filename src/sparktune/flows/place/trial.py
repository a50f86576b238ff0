"""``place trial``: a thread as it is and moved, in blocks of two visits at idle, until there is a verdict.

Whatever ends it, the thread gets back the CPUs that it had; a killed trial is taken back from its record.
"""

__all__ = ["Holding", "TrialTools", "run_trial", "take_back_trial"]

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from sparktune.errors import ChangeFailed, Interrupted, SparktuneError
from sparktune.experiment.design import Arm, Block
from sparktune.experiment.idle_result import IdleResult, conclude_idle, idle_blocks
from sparktune.experiment.idle_trial import IdleState, IdleTrial, IdleVisit
from sparktune.flows.place.idle_watch import IdleSeen, IdleWatch
from sparktune.io.launching.steps_hold import take_back
from sparktune.io.launching.unbroken import unbroken
from sparktune.io.store.idle_trials import IdleRow, IdleTrials
from sparktune.model.experiment_row import ExperimentState
from sparktune.units import format_duration

UNDO = "sparktune place trial --undo"
_MOST_VOIDS = 6
_ENDED = "the thread has ended"


class Holding(Protocol):
    """What moves the thread, and back."""

    async def set(self, *, applied: bool) -> bool:
        """Have the thread moved, or as it was, and see that it is so; False when it has ended."""

    async def release(self) -> tuple[str, ...]:
        """Give it back the CPUs that it had; return what somebody else had changed meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialTools:
    """``say`` tells a person what is being done."""

    store: IdleTrials
    hold: Holding
    watch: IdleWatch
    say: Callable[[str], None]


@dataclass(slots=True)
class _Course:
    visits: list[IdleVisit] = field(default_factory=list)
    why: str = ""  # why it ends before its plan does


async def run_trial(tools: TrialTools, trial: IdleTrial) -> IdleResult:
    """Carry out a trial that is in the store; the caller owns it. The thread is as it was when this returns or raises.

    Raises Interrupted for Ctrl-C, ArmFailed when the thread does not get its CPUs, NodeError, and ChangeFailed when it
    cannot be given back what it had.
    """
    course = _Course()
    state = ExperimentState.INTERRUPTED
    try:
        if await _can_be_moved(tools):
            await _blocks(tools, trial, course)
        else:
            course.why = _ENDED
        state = ExperimentState.DONE
    except asyncio.CancelledError as error:
        message = f"trial {trial.id} was interrupted; the thread has the CPUs that it had"
        shown = f"what was measured is shown by: sparktune place trial --show {trial.id}"
        raise Interrupted(message, hint=shown) from error
    finally:
        await unbroken(_released(tools, trial))
        tools.store.end(trial.id, state, course.why)
    return conclude_idle(trial, course.visits, course.why)


async def take_back_trial(store: IdleTrials, row: IdleRow, who: str) -> tuple[str, ...]:
    """Take back what a killed trial left; return what was done. Raises ChangeFailed when not all could be."""
    trial = row.trial

    def remember(held: object) -> None:
        store.remember_held(trial.id, held)  # type: ignore[arg-type]

    done, left = await take_back(row.held, who, remember)
    if left:
        message = f"not everything of trial {trial.id} could be taken back: {'; '.join(left)}"
        raise ChangeFailed(message, hint=f"try again: {UNDO}; or on the node: sparktune host status, host revert")
    store.remember_held(trial.id, {})
    return done or (f"trial {trial.id} held nothing any more",)


async def _released(tools: TrialTools, trial: IdleTrial) -> None:
    try:
        notes = await tools.hold.release()
        if not notes:  # what somebody else has changed meanwhile is left, and told
            await tools.hold.set(applied=False)
    except SparktuneError as error:
        error.hint = f"{error.hint}; then: {UNDO}" if error.hint else UNDO
        raise
    for note in notes:
        tools.say(note)
    tools.store.remember_held(trial.id, {})


async def _can_be_moved(tools: TrialTools) -> bool:
    """Move it and back before minutes are waited for: who may not, or whose cpuset forbids it, hears of it at once."""
    there = await tools.hold.set(applied=True)
    await tools.hold.release()
    return there


async def _blocks(tools: TrialTools, trial: IdleTrial, course: _Course) -> None:
    for block in trial.blocks:
        attempt = 0
        while block.number not in idle_blocks(course.visits):
            attempt += 1
            await _block(tools, trial, course, block, attempt)
            voids = sum(visit.state is IdleState.VOID for visit in course.visits)
            if not course.why and voids >= _MOST_VOIDS:
                course.why = f"there was work in {voids} visits ({course.visits[-1].why}): try when nothing runs"
            if course.why:
                return
        result = conclude_idle(trial, course.visits)
        if result.verdict is not None:
            tools.say(f"after {len(result.blocks)} blocks: {result.verdict.value}")
            return


async def _block(tools: TrialTools, trial: IdleTrial, course: _Course, block: Block, attempt: int) -> None:
    """Make both visits; a void one ends the attempt, since its block has to be of adjacent visits."""
    for place, arm in enumerate(block.visits):
        visit = IdleVisit(block=block.number, attempt=attempt, place=place, arm=arm, state=IdleState.RUNNING)
        course.visits.append(visit)
        try:
            seen = await _visit(tools, trial, visit)
        except BaseException:
            _keep(tools, trial, course, replace(visit, state=IdleState.VOID, why="it was not measured to its end"))
            raise
        why = _ENDED if seen.ended else seen.busy
        done = replace(
            visit,
            state=IdleState.VOID if why else IdleState.DONE,
            at_s=seen.at_s,
            readings=seen.readings,
            demand=seen.demand,
            idle=seen.idle,
            untold=seen.untold,
            why=why,
        )
        _keep(tools, trial, course, done)
        if seen.ended:
            course.why = f"{_ENDED} in block {block.number}"
        if why:
            tools.say(f"block {block.number}: {why}; " + ("that is all" if seen.ended else "it is made again"))
            return


async def _visit(tools: TrialTools, trial: IdleTrial, visit: IdleVisit) -> IdleSeen:
    words = "as it is" if visit.arm is Arm.A else "moved"
    times = f"settle {format_duration(trial.settle_s)}, measure {format_duration(trial.window_s)}"
    tools.say(f"block {visit.block} of {len(trial.blocks)}: the thread {words}; {times}")
    if not await tools.hold.set(applied=visit.arm is Arm.B):
        return IdleSeen(ended=True)
    return await tools.watch.measure(trial.settle_s, trial.window_s)


def _keep(tools: TrialTools, trial: IdleTrial, course: _Course, visit: IdleVisit) -> None:
    course.visits[-1] = visit
    tools.store.set_visits(trial.id, course.visits)
