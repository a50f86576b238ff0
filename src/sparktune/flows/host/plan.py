"""``host plan``: what would be done, from each node's own facts. Nothing is changed."""

__all__ = ["plan_all"]

from collections.abc import Sequence

from sparktune.errors import HostError, NodeError
from sparktune.flows.host.look import failed, seen_once, view_of
from sparktune.flows.host.outcome import HostOutcome
from sparktune.flows.look import Look, looking
from sparktune.host.changes import plan_node
from sparktune.io.cluster import NodeTarget
from sparktune.model.host_plan import NodePlan
from sparktune.model.node_report import NodeReport
from sparktune.model.profile import Profile


async def plan_all(targets: Sequence[NodeTarget], profile: Profile, look: Look | None = None) -> HostOutcome:
    """Plan for all nodes at once."""
    async with looking(look) as shared:

        async def plan(target: NodeTarget) -> NodePlan:
            seen = await seen_once(shared, target)
            return plan_node(await view_of(shared.of(target), seen, profile))

        answers = await shared.each(targets, plan)
    reports = tuple(
        failed(target.name, answer)
        if isinstance(answer, NodeError | HostError)
        else NodeReport(node=target.name, plan=answer)
        for target, answer in zip(targets, answers, strict=True)
    )
    return HostOutcome(verb="plan", reports=reports)
