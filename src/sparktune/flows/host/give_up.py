"""``host revert --give-up``: let go of what of one transaction, on one node, can never be undone."""

__all__ = ["give_up_one"]

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sparktune.errors import HostError, NodeBusy, NodeError, NodeNeedsRoot, PlanVoid
from sparktune.flows.host.look import failed
from sparktune.flows.host.outcome import HostOutcome
from sparktune.flows.host.unbroken import unbroken
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.session import NodeSession
from sparktune.model.node_report import NodeReport, NodeState

_STATES: Final = {
    "given_up": NodeState.GIVEN_UP,
    "reverted": NodeState.REVERTED,
    "rolled_back": NodeState.REVERTED,
}


async def give_up_one(target: NodeTarget, transaction: str, items: Sequence[str], who: str) -> HostOutcome:
    """Give up no more than these items. Asking twice does no harm: the node says that it is over."""
    report, interrupted = await unbroken(_give_up(target, transaction, items, who))
    return HostOutcome(verb="revert", reports=(report,), interrupted=interrupted)


async def _give_up(target: NodeTarget, transaction: str, items: Sequence[str], who: str) -> NodeReport:
    try:
        async with NodeSession(target) as node:
            end, undone = await node.give_up(transaction, items, who)
            journal = await node.journal()
    except (NodeBusy, NodeNeedsRoot, PlanVoid, HostError) as error:
        return failed(target.name, error)
    except NodeError as error:
        return replace(failed(target.name, error), state=NodeState.UNKNOWN)
    return NodeReport(
        node=target.name,
        state=_STATES[end.state],
        undone=undone,
        transactions=tuple(one for one in journal.transactions if one.id == transaction),
    )
