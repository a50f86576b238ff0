"""The end of an experiment, or of what is left of one: the original, or the winner, is set and seen to be live."""

__all__ = ["restore", "set_winner"]

from sparktune.errors import ChangeFailed, SparktuneError
from sparktune.experiment.design import Arm
from sparktune.experiment.plan import Experiment
from sparktune.flows.ab_tools import AbTools
from sparktune.io.launching.reading import LiveReading


async def restore(tools: AbTools, experiment: Experiment) -> str:
    """Bring back what was before the experiment, see that it is live, and return how that was seen.

    Raises what the hold raises, and ChangeFailed when something else is live; the store still knows what is held then.
    """
    try:
        proof = await _restored(tools)
    except SparktuneError as error:
        again = f"then: sparktune ab resume {experiment.id} --restore-only"
        error.hint = f"{error.hint}; {again}" if error.hint else again
        raise
    tools.store.remember_held(experiment.id, {})
    return proof


async def _restored(tools: AbTools) -> str:
    await tools.hold.release()
    actions = tools.planner.original()
    await tools.hold.perform(actions)
    if not actions:
        return "what was started has ended; nothing ran at its address before, and nothing does now"
    return f"the original (arm A) is live: {await _proof(tools, Arm.A)}"


async def set_winner(tools: AbTools, experiment: Experiment) -> str:
    """Set arm B to stay, see that it is live, and return how that was seen. Raises as ``restore``."""
    await tools.hold.set_arm(Arm.B.value, tools.planner.plan(Arm.B.value))
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
