"""``host apply``: plans are carried out node by node; the first failure ends it, and every node says what it is."""

__all__ = ["ApplyOptions", "OnFailure", "apply_all"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sparktune.errors import HostError, NodeError
from sparktune.flows.host.apply_node import NodeWork, apply_node
from sparktune.flows.host.look import failed
from sparktune.flows.host.outcome import HostOutcome, HostProgress
from sparktune.flows.host.preflight import Ready, preflight, refuse
from sparktune.flows.host.revert import revert_one
from sparktune.flows.host.unbroken import patient, unbroken
from sparktune.flows.one_host import refuse_twins
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.session import NodeSession
from sparktune.model.host_plan import NodePlan
from sparktune.model.node_report import NodeReport, NodeState
from sparktune.units import Seconds

OnFailure = Literal["keep", "revert"]
_HOLDS = frozenset({NodeState.APPLIED, NodeState.UNCONFIRMED})


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyOptions:
    """``who`` is for the journals; ``on_failure`` says what becomes of nodes that are done when another one fails.

    ``label`` names the transactions in the journals. ``profiled`` is False for plans that are of no profile: then none
    is kept as what the nodes are to be, and none is verified afterwards.
    """

    who: str
    confirm_within_s: Seconds | None = None
    on_failure: OnFailure = "keep"
    wait_s: Seconds = 0.0
    label: str = "apply"
    profiled: bool = True


async def apply_all(
    targets: Sequence[NodeTarget], plans: Mapping[str, NodePlan], options: ApplyOptions, tell: HostProgress
) -> HostOutcome:
    """Ask all, then change one after the other. Raises PlanRefused, and UsageError where two names are one host."""
    refuse(targets, plans)
    await refuse_twins(targets)
    answers = await preflight(targets, plans, options.wait_s)
    if any(not isinstance(answer, Ready) for answer in answers):
        return HostOutcome(verb="apply", reports=_not_begun(targets, plans, answers))
    work = [
        NodeWork(
            target=target,
            plan=plans[target.name],
            before=answer.before,
            who=options.who,
            confirm_within_s=options.confirm_within_s,
            wait_s=options.wait_s,
            label=options.label,
            profiled=options.profiled,
        )
        for target, answer in zip(targets, answers, strict=True)
        if isinstance(answer, Ready)
    ]
    reports, interrupted = await _one_by_one(work, tell)
    if options.on_failure == "revert" and (interrupted or any(report.failure for report in reports)):
        reports, more = await unbroken(_undo(work, reports, options, tell))
        interrupted = interrupted or more
    return HostOutcome(verb="apply", reports=tuple(reports), interrupted=interrupted)


async def _one_by_one(work: Sequence[NodeWork], tell: HostProgress) -> tuple[list[NodeReport], bool]:
    reports: list[NodeReport] = []
    interrupted = False
    stopped = ""
    for node in work:
        if stopped:
            reports.append(NodeReport(node=node.target.name, plan=node.plan, notes=(f"not begun: {stopped}",)))
            continue
        report, interrupted = await unbroken(apply_node(node, patient(tell)))
        reports.append(report)
        if report.failure:
            stopped = f"{node.target.name} failed"
        elif interrupted:
            stopped = "interrupted"
    return reports, interrupted


async def _undo(
    work: Sequence[NodeWork], reports: Sequence[NodeReport], options: ApplyOptions, tell: HostProgress
) -> list[NodeReport]:
    """Undo what holds, the last node first."""
    after = list(reports)
    for place in reversed(range(len(work))):
        report, target = reports[place], work[place].target
        if report.state not in _HOLDS or report.outcome is None:
            continue
        patient(tell)(target.name, "undoes")
        undone = await revert_one(
            NodeSession(target, shared=False), options.who, report.outcome.transaction, options.wait_s
        )
        after[place] = _with_undone(report, undone)
    return after


def _with_undone(report: NodeReport, undone: NodeReport) -> NodeReport:
    if undone.state is NodeState.UNTOUCHED and undone.failure:
        # It could not be undone, so it is what it was.
        return replace(report, failure=report.failure or undone.failure, hint=report.hint or undone.hint)
    return replace(
        report,
        state=undone.state,
        failure=report.failure or undone.failure,
        hint=report.hint or undone.hint,
        undone=undone.undone,
        checks=undone.checks,
        notes=(*report.notes, *undone.notes),
    )


def _not_begun(
    targets: Sequence[NodeTarget],
    plans: Mapping[str, NodePlan],
    answers: Sequence[Ready | NodeError | HostError],
) -> tuple[NodeReport, ...]:
    return tuple(
        NodeReport(node=target.name, plan=plans[target.name], notes=("not begun: another node cannot be changed",))
        if isinstance(answer, Ready)
        else replace(failed(target.name, answer), plan=plans[target.name])
        for target, answer in zip(targets, answers, strict=True)
    )
