"""``host plan | apply | verify | revert | status``: many machines, each with its own plan and its own answer.

What is wrong with one node is in its report (``failure``, ``hint``); what is raised concerns the whole command.
"""

__all__ = [
    "HostOutcome",
    "HostProgress",
    "OnFailure",
    "apply_plans",
    "confirm_nodes",
    "give_up_on_node",
    "plan_nodes",
    "revert_nodes",
    "status_nodes",
    "verify_nodes",
]

import asyncio
from collections.abc import Mapping, Sequence

from sparktune.flows.host.apply import ApplyOptions, OnFailure, apply_all
from sparktune.flows.host.confirm import confirm_all
from sparktune.flows.host.give_up import give_up_one
from sparktune.flows.host.outcome import HostOutcome, HostProgress
from sparktune.flows.host.plan import plan_all
from sparktune.flows.host.revert import revert_all
from sparktune.flows.host.verify import status_all, verify_all
from sparktune.flows.look import Look
from sparktune.flows.one_host import refuse_twins
from sparktune.io.cluster import NodeTarget
from sparktune.model.host_plan import NodePlan
from sparktune.model.profile import Profile
from sparktune.units import Seconds


def _silent(_node: str, _what: str) -> None:
    """Tell nobody."""


def plan_nodes(targets: Sequence[NodeTarget], profile: Profile) -> HostOutcome:
    """Look at all nodes at once and say what would be done on each; nothing is changed.

    Every report has ``plan``, or ``failure``. Raises UsageError for a host name that is an option, and for two names of
    one host.
    """
    return asyncio.run(_planned(targets, profile))


def apply_plans(
    targets: Sequence[NodeTarget],
    plans: Mapping[str, NodePlan],
    *,
    who: str,
    confirm_within_s: Seconds | None = None,
    on_failure: OnFailure = "keep",
    wait_s: Seconds = 0.0,
    on_progress: HostProgress = _silent,
) -> HostOutcome:
    """Carry out exactly these plans (by the node's name), node by node, and look at each node again afterwards.

    Before any node is touched all are asked: one that does not answer, or cannot be changed by this user, leaves all
    as they are. At the first failure it stops; nodes that are done before it stay so (``keep``) or are undone
    (``revert``). With ``confirm_within_s`` a node undoes its transaction by itself unless a new connection, which this
    opens, confirms it in time. ``wait_s`` is how long to wait for another one's transaction. The reports have
    ``plan``, ``state``, ``outcome``, ``checks`` and, where something was undone, ``undone``; nodes without steps stay
    UNTOUCHED. ``who`` is written into the nodes' journals.

    Raises PlanRefused when a node has no plan or one with refusals: then no node has been touched, or asked; and
    UsageError where two names are one host.
    """
    options = ApplyOptions(who=who, confirm_within_s=confirm_within_s, on_failure=on_failure, wait_s=wait_s)
    return asyncio.run(apply_all(targets, plans, options, on_progress))


def confirm_nodes(targets: Sequence[NodeTarget], transactions: Mapping[str, str]) -> HostOutcome:
    """Confirm transactions (ids by the node's name), each over a new connection; state APPLIED where that worked."""
    return asyncio.run(confirm_all(targets, transactions))


def verify_nodes(targets: Sequence[NodeTarget], profile: Profile | None = None) -> HostOutcome:
    """Say for all that the profile wants what is so; without one, for what was applied last on each node.

    Where nothing is applied only what waits for a reboot is told, which ``notes`` say. Every report has ``checks``, or
    ``failure``: without a profile that is so where only root could tell what was applied.
    """
    return asyncio.run(verify_all(targets, profile))


def revert_nodes(
    targets: Sequence[NodeTarget],
    *,
    who: str,
    transaction: str = "",
    wait_s: Seconds = 0.0,
    on_progress: HostProgress = _silent,
) -> HostOutcome:
    """Undo what was applied, the newest first, or one transaction by its id; one node after the other, all of them.

    The reports have ``state`` (UNTOUCHED when there was nothing to undo), ``undone`` and, as ``checks``, what still
    waits for a reboot. Raises UsageError where two names are one host.
    """
    return asyncio.run(_reverted(targets, who, transaction, wait_s, on_progress))


def give_up_on_node(target: NodeTarget, transaction: str, *, items: Sequence[str], who: str) -> HostOutcome:
    """Try once more to undo an incomplete transaction, then give up what still cannot be put back.

    That may be no more than ``items``, which somebody was shown. The report has ``state`` GIVEN_UP, or REVERTED when
    nothing had to be given up, ``undone``, and the transaction as the journal has it now.
    """
    return asyncio.run(give_up_one(target, transaction, items, who))


def status_nodes(targets: Sequence[NodeTarget]) -> HostOutcome:
    """Tell of every node its journal (``transactions``, ``holder``), where it stands (``state``) and its ``checks``.

    Only root may read the journal: a node where this user is not, and cannot become root, has a ``failure``.
    """
    return asyncio.run(status_all(targets))


async def _planned(targets: Sequence[NodeTarget], profile: Profile) -> HostOutcome:
    async with Look() as look:
        outcome = await plan_all(targets, profile, look)
        silent = {report.node for report in outcome.reports if report.failure}
        # Only of those that answered: one that does not is not waited for twice.
        await refuse_twins([target for target in targets if target.name not in silent], look)
    return outcome


async def _reverted(
    targets: Sequence[NodeTarget], who: str, transaction: str, wait_s: Seconds, on_progress: HostProgress
) -> HostOutcome:
    await refuse_twins(targets)
    return await revert_all(targets, who, transaction, wait_s, on_progress)
