"""The questions of quality in a visit: after its trials, so that no number of speed has anything of them."""

__all__ = ["visit_quality"]

from sparktune.errors import EndpointError
from sparktune.experiment.design import Arm
from sparktune.experiment.plan import Experiment, VisitState
from sparktune.flows.ab.tools import AbTools
from sparktune.io.http.server import Server
from sparktune.io.quality import ask_quality
from sparktune.model.quality import Quality
from sparktune.model.run import Run


async def visit_quality(tools: AbTools, experiment: Experiment, arm: Arm, run: Run) -> Quality | None:
    """Return what the arm answers now; None when nothing is asked in this visit.

    A server that is gone meanwhile is told as unknown: what becomes of the visit, the reading back after it says.
    """
    plan = experiment.quality
    if plan is None or (plan.every == "arm" and _asked(tools, experiment, arm)):
        return None
    try:
        async with Server(experiment.base_url, tools.secret, reuse=False) as server:
            engine, _ = await server.probe()
            return await ask_quality(server, engine, run.workload.options, plan, tools.progress.say)
    except EndpointError as error:
        return Quality(unknown=str(error))


def _asked(tools: AbTools, experiment: Experiment, arm: Arm) -> bool:
    return any(
        visit.arm is arm and visit.state is VisitState.DONE and visit.quality is not None
        for visit in tools.store.visits(experiment.id)
    )
