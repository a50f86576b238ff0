"""Confirm a transaction over a connection of its own: one that is open already proves no way to the node."""

__all__ = ["confirm_all"]

from collections.abc import Mapping, Sequence

from sparktune.errors import HostError, NodeError
from sparktune.flows.host.look import failed
from sparktune.flows.host.outcome import HostOutcome
from sparktune.io.cluster import NodeTarget
from sparktune.io.together import together
from sparktune.io.transport.session import NodeSession
from sparktune.model.node_report import NodeReport, NodeState


async def confirm_all(targets: Sequence[NodeTarget], transactions: Mapping[str, str]) -> HostOutcome:
    """Confirm on all nodes at once that have a transaction to confirm."""
    asked = [target for target in targets if target.name in transactions]
    reports = await together(*(_confirm(target, transactions[target.name]) for target in asked))
    return HostOutcome(verb="confirm", reports=reports)


async def _confirm(target: NodeTarget, transaction: str) -> NodeReport:
    try:
        async with NodeSession(target, shared=False) as node:
            confirmed = await node.confirm(transaction)
    except (NodeError, HostError) as error:
        return failed(target.name, error)
    if confirmed.state == "committed":
        return NodeReport(node=target.name, state=NodeState.APPLIED)
    message = f"{target.name}: it cannot be confirmed any more, it is {confirmed.state.replace('_', ' ')}"
    return NodeReport(node=target.name, state=NodeState.UNKNOWN, failure=message)
