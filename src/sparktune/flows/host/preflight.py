"""Before any node is touched: does every one answer, is it the one that was planned for, may it be changed?"""

__all__ = ["Ready", "preflight", "refuse"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sparktune.agent.results import NEEDS_ROOT
from sparktune.errors import HostError, NodeBusy, NodeError, PlanRefused, PlanVoid
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.fanout import ask_all
from sparktune.io.transport.refusals import error_of_refusal
from sparktune.io.transport.session import NodeSession
from sparktune.model.host_plan import NodePlan
from sparktune.model.observed import State
from sparktune.model.reads import ReadFile
from sparktune.units import Seconds

# Of mode 0600 (seen on Linux 6.18; sysctl kernel.cad_pid), small, and no secret; where it is not, nothing is concluded
_ROOTS_OWN = ReadFile(path="/proc/sys/kernel/cad_pid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A node that can be changed; ``before`` are the transactions that its journal has."""

    before: frozenset[str] = field(default_factory=frozenset)


def refuse(targets: Sequence[NodeTarget], plans: Mapping[str, NodePlan]) -> None:
    """Raise PlanRefused, with every reason for every node, unless all have a plan that nothing stands against."""
    reasons: list[str] = []
    hints: list[str] = []
    for target in targets:
        plan = plans.get(target.name)
        if plan is None:
            reasons.append(f"{target.name}: there is no plan for it")
            hints.append("plan for all nodes that are to be changed")
            continue
        for refusal in plan.refusals:
            reasons.append(f"{target.name}: {refusal.change}: {refusal.reason}")
            hints.append(refusal.hint)
    if reasons:
        raise PlanRefused("; ".join(reasons), hint="; ".join(dict.fromkeys(hint for hint in hints if hint)))


async def preflight(
    targets: Sequence[NodeTarget], plans: Mapping[str, NodePlan], wait_s: Seconds
) -> tuple[Ready | NodeError | HostError, ...]:
    """Ask all nodes at once; an error where one could not be changed as planned."""

    async def ask(node: NodeSession) -> Ready:
        name, plan = node.target.name, plans[node.target.name]
        hello = await node.hello()
        if plan.boot_id and hello.boot_id != plan.boot_id:
            message = f"{name}: it was booted again since the plan was made"
            raise PlanVoid(message, hint="look at it, then start anew (of a host profile: sparktune host plan)")
        if not plan.steps:
            return Ready()
        if hello.uid:
            await _check_root(node)
        journal = await node.journal()
        if journal.holder and not wait_s:
            message = f"{name}: another one works there: {journal.holder}"
            raise NodeBusy(message, hint="wait for it, or see what it is: sparktune host status")
        waiting = [transaction.id for transaction in journal.transactions if transaction.state == "unconfirmed"]
        if waiting:
            message = f"{name}: transaction {waiting[0]} waits to be confirmed"
            raise NodeBusy(message, hint="it undoes itself in time; or undo it now: sparktune host revert")
        return Ready(before=frozenset(transaction.id for transaction in journal.transactions))

    return await ask_all(targets, ask)


async def _check_root(node: NodeSession) -> None:
    """Raise NodeNeedsRoot when this user cannot become root there: a node's journal may be empty for anybody."""
    found = (await node.observe([_ROOTS_OWN])).file(_ROOTS_OWN.path)
    if found.state is State.UNREADABLE and found.why.startswith(NEEDS_ROOT):
        raise error_of_refusal(node.target.name, node.target.host, "root", found.why)
