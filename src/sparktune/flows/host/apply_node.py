"""Carry out the plan of one node, look at the node again, and confirm over a connection of its own."""

__all__ = ["NodeWork", "apply_node"]

from dataclasses import dataclass, replace
from typing import Final

from sparktune.errors import HostError, NodeBusy, NodeError, NodeNeedsRoot, PlanVoid
from sparktune.flows.host.journal import held_entries, newest_applied, try_journal
from sparktune.flows.host.look import failed, look
from sparktune.flows.host.outcome import HostProgress
from sparktune.flows.host.settle import Broken, settle
from sparktune.host.changes import verify_node
from sparktune.host.step_json import plan_hash
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.changes_wire import Request
from sparktune.io.transport.session import NodeSession
from sparktune.model.host_plan import HostView, NodePlan
from sparktune.model.node_report import NodeReport, NodeState
from sparktune.model.transaction import State, TransactionOutcome
from sparktune.units import Seconds, format_duration

_STATES: Final[dict[State, NodeState]] = {
    "committed": NodeState.APPLIED,
    "unconfirmed": NodeState.UNCONFIRMED,
    "rolled_back": NodeState.ROLLED_BACK,
    "incomplete": NodeState.INCOMPLETE,
}
_HOLDS: Final = frozenset({NodeState.APPLIED, NodeState.UNCONFIRMED})


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeWork:
    """What is to be done on a node whose journal has the transactions ``before``; the rest as ApplyOptions has it."""

    target: NodeTarget
    plan: NodePlan
    before: frozenset[str]
    who: str
    confirm_within_s: Seconds | None = None
    wait_s: Seconds = 0.0
    label: str = "apply"
    profiled: bool = True


async def apply_node(work: NodeWork, tell: HostProgress) -> NodeReport:
    """Return where the node stands afterwards; nothing is raised for what goes wrong with it."""
    name = work.target.name
    if not work.plan.steps:
        return await _verified(work, NodeReport(node=name, plan=work.plan), tell)
    report = await _transacted(work, tell)
    if report.failure or not work.profiled:
        return report
    return await _verified(work, report, tell)


async def _transacted(work: NodeWork, tell: HostProgress) -> NodeReport:
    name = work.target.name
    tell(name, "changes")
    try:
        async with NodeSession(work.target) as node:
            outcome = await node.transact(_request(work))
    except (NodeBusy, NodeNeedsRoot, PlanVoid) as error:
        return replace(failed(name, error), plan=work.plan)
    except (NodeError, HostError) as error:
        tell(name, "asks once more")
        broken = Broken(target=work.target, plan=plan_hash(work.plan), before=work.before, error=error, who=work.who)
        return replace(_continued(await settle(broken)), plan=work.plan)
    return replace(_ended(name, outcome), plan=work.plan)


def _request(work: NodeWork) -> Request:
    return Request(
        plan=work.plan,
        who=work.who,
        label=work.label,
        confirm_within_s=work.confirm_within_s,
        wait_s=work.wait_s,
        profiled=work.profiled,
    )


def _continued(report: NodeReport) -> NodeReport:
    """Let a node whose connection broke, but which has done everything, be seen as what it is."""
    if report.state not in _HOLDS or report.outcome is None:
        return report
    outcome = replace(report.outcome, failed="")
    note = f"the answer broke off ({report.failure})"
    return replace(report, failure="", hint="", outcome=outcome, notes=(note, *report.notes))


def _ended(name: str, outcome: TransactionOutcome) -> NodeReport:
    state = _STATES.get(outcome.state, NodeState.UNKNOWN)
    if state is NodeState.APPLIED and not outcome.transaction:
        return NodeReport(node=name, outcome=outcome, notes=("all was as wanted already, so nothing was done",))
    report = NodeReport(node=name, state=state, outcome=outcome)
    if state in _HOLDS:
        return report
    what = "all was taken back" if state is NodeState.ROLLED_BACK else "not all could be taken back"
    if state is NodeState.ROLLED_BACK and outcome.left:
        what = f"taken back, but for what somebody else had changed: {', '.join(outcome.left)}"
    return replace(report, failure=f"{name}: {outcome.failed or outcome.state}; {what}", hint=_hint(name, state))


def _hint(name: str, state: NodeState) -> str:
    if state is NodeState.ROLLED_BACK:
        return "mend what the step met, plan and apply again"
    return f"see what is left: sparktune host status --nodes {name}; then try again: sparktune host revert"


async def _verified(work: NodeWork, report: NodeReport, tell: HostProgress) -> NodeReport:
    """Confirm where that is waited for, and look at the node; the connection is new where an old one proves nothing."""
    fresh = report.state is NodeState.UNCONFIRMED or any(step.cuts_off for step in work.plan.steps)
    try:
        async with NodeSession(work.target, shared=not fresh) as node:
            if report.state is NodeState.UNCONFIRMED:
                tell(work.target.name, "confirms")
                report = await _confirmed(node, report)
                if report.failure:
                    return report
            tell(work.target.name, "verifies")
            return replace(report, checks=verify_node(await _view(node, work, report)))
    except (NodeError, HostError) as error:
        return replace(report, failure=_unseen(work, report, error), hint=error.hint)


async def _confirmed(node: NodeSession, report: NodeReport) -> NodeReport:
    if report.outcome is None:
        return report
    confirmed = await node.confirm(report.outcome.transaction)
    state = _STATES.get(confirmed.state, NodeState.UNKNOWN)
    if state is NodeState.APPLIED:
        return replace(report, state=state, outcome=replace(report.outcome, state=confirmed.state))
    message = f"{report.node}: it could not be confirmed, it is {confirmed.state.replace('_', ' ')}"
    after = NodeState.REVERTED if confirmed.state == "reverted" else state
    return replace(report, state=after, failure=message, hint="allow more time: --confirm-within")


async def _view(node: NodeSession, work: NodeWork, report: NodeReport) -> HostView:
    """Look at the node; the profile was applied in this boot, unless nothing had to be done."""
    journal, _why = await try_journal(node)
    transactions = journal.transactions if journal is not None else ()
    newest = newest_applied(transactions)
    boot = work.plan.boot_id if report.state in _HOLDS or newest is None else newest.boot_id
    return replace(await look(node, work.plan.profile, boot), entries=held_entries(transactions))


def _unseen(work: NodeWork, report: NodeReport, error: NodeError | HostError) -> str:
    said = str(error)
    if report.state is NodeState.UNCONFIRMED:
        within = format_duration(work.confirm_within_s or 0.0)
        return f"{said}; nobody has confirmed, so the node undoes it by itself {within} after it was begun"
    if report.state is NodeState.APPLIED:
        return f"{said}; all steps are done, but the node was not looked at again"
    return said
