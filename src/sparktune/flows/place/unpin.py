"""``place unpin``: threads get back the CPUs that they had; rules end with them. What ``host`` applied is left alone.

The transactions of ``place pin`` are told from others by their label. Undoing one may take away the unit and the timer,
which it brought: where rules of others hold on, these are put there again.
"""

__all__ = ["unpin_all"]

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sparktune.errors import HostError, NodeError, PlanRefused
from sparktune.flows.host.apply import ApplyOptions, apply_all
from sparktune.flows.host.look import failed
from sparktune.flows.host.outcome import HostOutcome, HostProgress
from sparktune.flows.host.revert import revert_one
from sparktune.flows.host.unbroken import patient, unbroken
from sparktune.host.pinning.plan import LABEL, plan_keeper
from sparktune.host.pinning.rows import pinned_of
from sparktune.host.pinning.seen import first_reads, seen_of
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.session import NodeSession
from sparktune.model.host_plan import NodePlan
from sparktune.model.node_report import NodeReport, NodeState
from sparktune.model.reads import Readings

_LEFT_HALF = frozenset({NodeState.INCOMPLETE, NodeState.UNKNOWN})


def unpin_all(
    targets: Sequence[NodeTarget], wanted: Mapping[str, Sequence[str]], *, who: str, on_progress: HostProgress
) -> HostOutcome:
    """Undo these transactions (names by node, the newest first), one node after the other."""
    return asyncio.run(_unpin_all(targets, wanted, who, on_progress))


async def _unpin_all(
    targets: Sequence[NodeTarget], wanted: Mapping[str, Sequence[str]], who: str, tell: HostProgress
) -> HostOutcome:
    reports: list[NodeReport] = []
    interrupted = False
    for target in targets:
        if interrupted:
            reports.append(NodeReport(node=target.name, notes=("not begun: interrupted",)))
            continue
        patient(tell)(target.name, "undoes")
        report, interrupted = await unbroken(_unpin(target, wanted.get(target.name, ()), who, tell))
        reports.append(report)
    return HostOutcome(verb="revert", reports=tuple(reports), interrupted=interrupted)


async def _unpin(target: NodeTarget, names: Sequence[str], who: str, tell: HostProgress) -> NodeReport:
    report = NodeReport(node=target.name)
    for name in names:
        one = await revert_one(NodeSession(target), who, name, 0.0)
        report = replace(one, undone=(*report.undone, *one.undone), checks=None)
        if one.failure or one.state in _LEFT_HALF:
            return report
    return await _kept(target, report, who, tell) if names else report


async def _kept(target: NodeTarget, report: NodeReport, who: str, tell: HostProgress) -> NodeReport:
    """Put unit and timer back where rules hold on that need them."""
    try:
        plan = await _keeper(target)
        if plan is None or not plan.steps:
            return report
        options = ApplyOptions(who=who, label=LABEL, profiled=False)
        again = (await apply_all([target], {target.name: plan}, options, tell)).reports[0]
    except (NodeError, HostError, PlanRefused) as error:
        again = failed(target.name, error)
    if not again.failure:
        return replace(report, notes=(*report.notes, "the timer stays: other rules need it"))
    why = f"{target.name}: other rules hold, and their timer could not be put back: {again.failure}"
    return replace(report, failure=why, hint=again.hint)


async def _keeper(target: NodeTarget) -> NodePlan | None:
    async with NodeSession(target) as session:
        journal = await session.journal()
        rules = [rule for one in pinned_of(journal.transactions) for rule in one.rules if rule.reapply]
        if not rules:
            return None
        hello, readings = await session.greet_and_observe(first_reads(()))
        return plan_keeper(target.name, seen_of(hello.boot_id, readings, Readings(), ()))
