"""``host revert``: undo on every node what was applied there; one node that fails does not keep the others."""

__all__ = ["revert_all", "revert_one"]

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sparktune.errors import HostError, NodeBusy, NodeError, NodeNeedsRoot
from sparktune.flows.host_journal import applied_profile, newest_applied, state_of
from sparktune.flows.host_look import failed
from sparktune.flows.host_outcome import HostOutcome, HostProgress
from sparktune.flows.host_unbroken import unbroken
from sparktune.flows.host_verify import verify_waiting
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.session import NodeSession
from sparktune.model.node_report import NodeReport, NodeState
from sparktune.model.profile import Profile
from sparktune.units import Seconds

_STATES: Final = {
    "reverted": NodeState.REVERTED,
    "incomplete": NodeState.INCOMPLETE,
    "nothing": NodeState.UNTOUCHED,
}


async def revert_all(
    targets: Sequence[NodeTarget], who: str, transaction: str, wait_s: Seconds, tell: HostProgress
) -> HostOutcome:
    """Undo on one node after the other. Ctrl-C lets the node at hand come to its end, and leaves the others."""
    sessions = [NodeSession(target) for target in targets]
    reports: list[NodeReport] = []
    interrupted = False
    for session in sessions:
        name = session.target.name
        if interrupted:
            reports.append(NodeReport(node=name, notes=("not begun: interrupted",)))
            continue
        tell(name, "undoes")
        report, interrupted = await unbroken(revert_one(session, who, transaction, wait_s))
        reports.append(report)
    return HostOutcome(verb="revert", reports=tuple(reports), interrupted=interrupted)


async def revert_one(session: NodeSession, who: str, transaction: str, wait_s: Seconds) -> NodeReport:
    """Undo on one node, over a session that is not open yet."""
    name = session.target.name
    report = NodeReport(node=name)
    begun = False
    try:
        async with session as node:
            newest = newest_applied((await node.journal()).transactions)
            begun = True
            end, undone = await node.revert(transaction, who, wait_s=wait_s)
            report = NodeReport(node=name, state=_STATES[end.state], undone=undone)
            if end.state == "incomplete":
                report = replace(report, failure=f"{name}: not all could be undone", hint="see what, and try again")
            profile = applied_profile(newest) if newest is not None else None
            return replace(report, checks=await verify_waiting(node, profile or Profile()))
    except (NodeBusy, NodeNeedsRoot) as error:
        return failed(name, error)
    except (NodeError, HostError) as error:
        if report.state is not NodeState.UNTOUCHED or report.undone:
            return replace(report, notes=(f"what waits for a reboot was not looked at: {error}",))
        return await _settled(session.target, error) if begun else failed(name, error)


async def _settled(target: NodeTarget, error: NodeError | HostError) -> NodeReport:
    """Say where a node stands whose answer broke off, as its journal has it."""
    report = replace(failed(target.name, error), state=NodeState.UNKNOWN)
    try:
        async with NodeSession(target, shared=False) as node:
            journal = await node.journal()
    except (NodeError, HostError) as again:
        return replace(report, notes=(f"asked once more: {again}",))
    return replace(report, state=state_of(journal), transactions=journal.transactions, holder=journal.holder)
