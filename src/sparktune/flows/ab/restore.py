"""The end of an experiment, or of what is left of one: the original, or the winner, is set and seen to be live."""

__all__ = ["MemoryNotBack", "restore", "restore_without_store", "set_winner"]

from collections.abc import Sequence

from sparktune.errors import BootDue, ChangeFailed, SparktuneError
from sparktune.experiment.design import Arm
from sparktune.experiment.plan import Experiment
from sparktune.flows.ab.tools import AbTools
from sparktune.io.launching.reading import LiveReading
from sparktune.model.arm_action import Action, RunOnNode
from sparktune.units import Bytes, Seconds, format_bytes

_AVAILABLE = " mem_available_bytes"
_MEMORY_S: Seconds = 300.0
_LOOK_S: Seconds = 2.0


class MemoryNotBack(ChangeFailed):
    """A guard has stopped an arm for its host's sake, and there is still no memory to start the original into."""


async def restore(tools: AbTools, experiment: Experiment) -> str:
    """Bring back what was before the experiment, see that it is live, and return how that was seen.

    After a guard has stopped a visit the original is started only when its host has memory again. Raises what the hold
    raises, MemoryNotBack, and ChangeFailed when something else is live; the store still knows what is held then.
    """
    try:
        proof = await _restored(tools, experiment)
    except SparktuneError as error:
        again = f"then: {experiment.command} resume {experiment.id} --restore-only"
        error.hint = f"{error.hint}; {again}" if error.hint else again
        raise
    tools.store.remember_held(experiment.id, {})
    return proof


async def restore_without_store(tools: AbTools, experiment: Experiment) -> str:
    """Bring back what was before where the store can no longer be written, and return how that was seen.

    Nothing of it is kept: the store still knows what was held, and taking that back once more harms nothing.
    """
    tools.hold.bring_back_anyway()
    return await _restored(tools, experiment)


async def _restored(tools: AbTools, experiment: Experiment) -> str:
    await tools.hold.release()
    actions = tools.planner.original()
    if actions and any(visit.trip is not None for visit in tools.store.visits(experiment.id)):
        await _memory_back(tools, experiment)
    try:
        await tools.hold.perform(actions)
    except BootDue:
        return "the files of the original are back; they count when this machine has booted"
    if not actions:
        return "what was started has ended; nothing ran at its address before, and nothing does now"
    if not _answers(actions):
        return "the files are as they were, and the service does not run, as before"
    return f"the original (arm A) is live: {await _proof(tools, Arm.A)}"


def _answers(actions: Sequence[Action]) -> bool:
    """Tell whether what is brought back can be read: a service that did not run before is only put back."""
    return not all(isinstance(action, RunOnNode) for action in actions)


async def _memory_back(tools: AbTools, experiment: Experiment) -> None:
    """Wait until every node that tells its memory is above the floor. Raises MemoryNotBack."""
    floor = experiment.protection.limits.available_floor
    if floor is None:
        return
    waited_s = 0.0
    while short := {name: size for name, size in (await _memory(tools)).items() if size < floor}:
        if waited_s >= _MEMORY_S:
            told = ", ".join(f"{name} has {format_bytes(size)}" for name, size in short.items())
            message = f"{told} of memory available, and the floor is {format_bytes(floor)}"
            raise MemoryNotBack(message, hint="free memory there")
        if not waited_s:
            tools.progress.say(f"waiting for memory on {', '.join(short)} before the original is started again")
        await tools.sleep(_LOOK_S)
        waited_s += _LOOK_S


async def _memory(tools: AbTools) -> dict[str, Bytes]:
    sensors = await tools.gate.read()
    return {name.removesuffix(_AVAILABLE): round(value) for name, value in sensors.items() if name.endswith(_AVAILABLE)}


async def set_winner(tools: AbTools, experiment: Experiment) -> str:
    """Set arm B to stay, see that it is live, and return how that was seen. Raises as ``restore``."""
    try:
        await tools.hold.set_arm(Arm.B.value, tools.planner.plan(Arm.B.value))
    except BootDue:
        tools.store.remember_held(experiment.id, {})
        return "the winner (arm B) is written; it counts when this machine has booted"
    proof = await _proof(tools, Arm.B)
    # It is no longer the experiment's, which would take it back.
    tools.store.remember_held(experiment.id, {})
    return f"the winner (arm B) is live: {proof}"


async def _proof(tools: AbTools, arm: Arm) -> str:
    reading: LiveReading = await tools.hold.read_live(tools.planner.plan(arm.value))
    if not reading.ok:
        message = f"arm {arm.value} was set in the end, and is not live: {reading.why}"
        raise ChangeFailed(message, hint="find what else sets it")
    seen = ", ".join(f"{name} = {value}" for name, value in reading.values.items()) or "as wanted"
    return f"{seen} ({'; '.join(reading.notes)})" if reading.notes else seen
