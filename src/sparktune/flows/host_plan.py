"""``host plan``: what would be done, from each node's own facts. Nothing is changed."""

__all__ = ["plan_all"]

from collections.abc import Sequence

from sparktune.errors import HostError, NodeError
from sparktune.flows.host_look import failed, look
from sparktune.flows.host_outcome import HostOutcome
from sparktune.host.changes import plan_node
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.fanout import ask_all
from sparktune.io.transport.session import NodeSession
from sparktune.model.host_plan import NodePlan
from sparktune.model.node_report import NodeReport
from sparktune.model.profile import Profile


async def plan_all(targets: Sequence[NodeTarget], profile: Profile) -> HostOutcome:
    """Plan for all nodes at once."""

    async def plan(node: NodeSession) -> NodePlan:
        return plan_node(await look(node, profile))

    answers = await ask_all(targets, plan)
    reports = tuple(
        failed(target.name, answer)
        if isinstance(answer, NodeError | HostError)
        else NodeReport(node=target.name, plan=answer)
        for target, answer in zip(targets, answers, strict=True)
    )
    return HostOutcome(verb="plan", reports=reports)
