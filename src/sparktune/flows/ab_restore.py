"""The end of an experiment, or of what is left of one: the original, or the winner, is set and seen to be live."""

__all__ = ["restore", "set_winner"]

from collections.abc import Mapping

from sparktune.errors import ChangeFailed, SparktuneError
from sparktune.experiment.design import Arm
from sparktune.experiment.plan import Experiment
from sparktune.flows.ab_tools import AbTools
from sparktune.io.launching.reading import LiveReading
from sparktune.model.launcher import ArmPlan


async def restore(tools: AbTools, experiment: Experiment) -> str:
    """Bring back what was before the experiment, see that it is live, and return how that was seen.

    Raises what the hold raises, and ChangeFailed when something else is live; the store still knows what is held then.
    """
    try:
        proof = await _restored(tools, experiment)
    except SparktuneError as error:
        again = f"then: sparktune ab resume {experiment.id} --restore-only"
        error.hint = f"{error.hint}; {again}" if error.hint else again
        raise
    tools.store.remember_held(experiment.id, {})
    return proof


async def _restored(tools: AbTools, experiment: Experiment) -> str:
    await tools.hold.release()
    actions = tools.launcher.original(_named(experiment))
    await tools.hold.perform(actions)
    if not actions:
        return "what was started has ended; nothing ran at its address before, and nothing does now"
    return f"the original (arm A) is live: {await _proof(tools, experiment, Arm.A)}"


async def set_winner(tools: AbTools, experiment: Experiment) -> str:
    """Set arm B to stay, see that it is live, and return how that was seen. Raises as ``restore``."""
    await tools.hold.set_arm(Arm.B.value, _plan(tools, experiment, Arm.B))
    proof = await _proof(tools, experiment, Arm.B)
    # It is no longer the experiment's, which would take it back.
    tools.store.remember_held(experiment.id, {})
    return f"the winner (arm B) is live: {proof}"


async def _proof(tools: AbTools, experiment: Experiment, arm: Arm) -> str:
    reading: LiveReading = await tools.hold.read_live(_plan(tools, experiment, arm))
    if not reading.ok:
        message = f"arm {arm.value} was set in the end, and is not live: {reading.why}"
        raise ChangeFailed(message, hint="find what else sets it")
    seen = ", ".join(f"{name} = {value}" for name, value in reading.values.items()) or "as wanted"
    return f"{seen} ({'; '.join(reading.notes)})" if reading.notes else seen


def _plan(tools: AbTools, experiment: Experiment, arm: Arm) -> ArmPlan:
    return tools.launcher.plan(_named(experiment), experiment.live, arm.value)


def _named(experiment: Experiment) -> Mapping[str, Mapping[str, object]]:
    return {arm.value: settings for arm, settings in experiment.arms.items()}
