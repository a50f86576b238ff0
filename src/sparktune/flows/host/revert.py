"""``host revert``: undo on every node what was applied there; one node that fails does not keep the others."""

__all__ = ["revert_all", "revert_one"]

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from sparktune.errors import HostError, NodeBusy, NodeError, NodeNeedsRoot
from sparktune.flows.host.journal import applied_profile, at_rest, newest_applied, state_of
from sparktune.flows.host.look import failed
from sparktune.flows.host.outcome import HostOutcome, HostProgress
from sparktune.flows.host.unbroken import patient, unbroken
from sparktune.flows.host.verify import verify_waiting
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """``transaction`` is "" for all that are applied."""

    transaction: str
    who: str
    wait_s: Seconds


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
        patient(tell)(name, "undoes")
        report, interrupted = await unbroken(revert_one(session, who, transaction, wait_s))
        reports.append(report)
    return HostOutcome(verb="revert", reports=tuple(reports), interrupted=interrupted)


async def revert_one(session: NodeSession, who: str, transaction: str, wait_s: Seconds) -> NodeReport:
    """Undo on one node, over a session that is not open yet; once more over a new one when that breaks.

    Undoing is the same however often it is done: what is as before needs nothing.
    """
    name = session.target.name
    wish = _Wish(transaction=transaction, who=who, wait_s=wait_s)
    try:
        async with session as node:
            return await _revert(node, wish)
    except (NodeBusy, NodeNeedsRoot, HostError) as error:
        return failed(name, error)
    except NodeError as error:
        return await _again(session.target, wish, error)


async def _revert(node: NodeSession, wish: _Wish) -> NodeReport:
    name = node.target.name
    newest = newest_applied((await node.journal()).transactions)
    end, undone = await node.revert(wish.transaction, wish.who, wait_s=wish.wait_s)
    report = NodeReport(node=name, state=_STATES[end.state], undone=undone)
    if end.state == "incomplete":
        hint = f"see what is left: sparktune host status --nodes {name}; then try again"
        report = replace(report, failure=f"{name}: not all could be undone", hint=hint)
    try:
        profile = applied_profile(newest) if newest is not None else None
        return replace(report, checks=await verify_waiting(node, profile or Profile()))
    except (NodeError, HostError) as error:
        return replace(report, notes=(f"what waits for a reboot was not looked at: {error}",))


async def _again(target: NodeTarget, wish: _Wish, error: NodeError) -> NodeReport:
    """Undo what is left when the answer broke off; say what the journal says when nothing is."""
    report = replace(failed(target.name, error), state=NodeState.UNKNOWN)
    try:
        async with NodeSession(target, shared=False) as node:
            journal = await at_rest(node, lambda journal: not journal.holder)
            if journal.holder:
                return replace(report, holder=journal.holder, notes=("it is at work still",))
            second = await _revert(node, wish)
    except (NodeError, HostError) as again:
        return replace(report, notes=(f"asked once more: {again}",))
    note = f"the answer broke off ({error}), so the node was asked once more"
    if second.state is NodeState.UNTOUCHED and not second.failure:
        # What was asked for has come to its end before.
        second = replace(second, state=state_of(journal))
    return replace(second, notes=(note, *second.notes))
