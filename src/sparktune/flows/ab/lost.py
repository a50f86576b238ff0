"""A node is lost in the middle of a visit: its block is discarded, and the experiment stops, or begins it again."""

__all__ = ["after_loss"]

from sparktune.errors import NodeUnreachable
from sparktune.experiment.plan import Experiment, VisitRecord
from sparktune.experiment.protection import OnLostNode, Protection
from sparktune.flows.ab.guard import LOST
from sparktune.flows.ab.tools import AbTools
from sparktune.units import Seconds, format_duration

_LOOK_S: Seconds = 5.0


async def after_loss(tools: AbTools, experiment: Experiment, visit: VisitRecord) -> None:
    """Return when the block can be begun again, with everything of the lost attempt taken back.

    Raises NodeUnreachable when it is not to be: by the plan, because it was begun often enough, or because the node
    does not come back.
    """
    protection = experiment.protection
    again = _losses(tools, experiment, visit.block)
    tools.progress.say(f"block {visit.block} is discarded: {visit.why}")
    if protection.on_lost_node is OnLostNode.STOP:
        raise NodeUnreachable(
            visit.lost, hint="guard: {on_lost_node: retry} would wait for it and begin the block again"
        )
    if again > protection.retries:
        message = f"block {visit.block} lost a node {again} times, the last time: {visit.lost}"
        raise NodeUnreachable(message, hint=f"look at what arm {visit.arm.value} does to it")
    await _taken_back(tools, protection)
    tools.progress.say(f"it is back, and nothing of block {visit.block} is left on it; the block is begun again")


def _losses(tools: AbTools, experiment: Experiment, block: int) -> int:
    return sum(bool(record.lost) for record in tools.store.visits(experiment.id) if record.block == block)


async def _taken_back(tools: AbTools, protection: Protection) -> None:
    """Release the arm, again and again until every node answers."""
    waited_s, limit_s = 0.0, protection.lost_wait_s
    while True:
        try:
            await tools.hold.release()
            await _all_answer(tools, protection)
        except LOST as error:
            if waited_s >= limit_s:
                message = f"it did not come back within {format_duration(limit_s)}: {error}"
                raise NodeUnreachable(message, hint=error.hint) from error
        else:
            return
        if not waited_s:
            tools.progress.say(f"waiting for the node, {format_duration(limit_s)} at most")
        await tools.sleep(_LOOK_S)
        waited_s += _LOOK_S


async def _all_answer(tools: AbTools, protection: Protection) -> None:
    """Raise the NodeError of a node that does not answer: watching begins with the first word of each."""
    async with tools.watch(protection) as watch:
        if watch.tripped.done() and (error := watch.tripped.exception()) is not None:
            raise error
