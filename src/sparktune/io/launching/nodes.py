"""Steps of an arm as transactions of a node's agent: remembered before they are begun, found again after a crash.

A transaction of ours is known by its id, or, when its answer broke off, by the hash of its plan among those that were
not in the journal before.
"""

__all__ = ["NodeEntry", "apply_steps", "undo_entry"]

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, Self

from sparktune.errors import ArmFailed, HostError, NodeBusy, NodeError, NodeNeedsRoot, PlanVoid
from sparktune.host.step_json import plan_hash
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.changes_wire import Journal, Request
from sparktune.io.transport.session import NodeSession
from sparktune.model.host_plan import NodePlan, PlannedStep, TakesEffect
from sparktune.model.profile import Profile
from sparktune.model.step import Step
from sparktune.model.transaction import Transaction, TransactionOutcome, UndoneTransaction
from sparktune.units import Seconds

_LABEL = "ab"
_WAIT_S: Seconds = 30.0  # for another one's transaction on the node
_LOOK_S: Seconds = 0.5
_STANDS = frozenset({"open", "committed", "unconfirmed", "incomplete"})


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeEntry:
    """One transaction in the record; ``before`` are the ids that the node's journal had before it was begun."""

    node: str
    host: str | None
    root: str | None
    plan: str
    before: tuple[str, ...]
    state: Literal["applying", "applied", "undone", "nothing"]
    transaction: str = ""

    @classmethod
    def of(cls, fields: dict[str, Any]) -> Self:
        """Read what was remembered."""
        return cls(**{**fields, "before": tuple(fields["before"])})

    def as_json(self) -> dict[str, Any]:
        """Return what is remembered."""
        return {**asdict(self), "before": list(self.before)}

    @property
    def target(self) -> NodeTarget:
        """The way to the node."""
        return NodeTarget(name=self.node or "local", host=self.host, root=Path(self.root) if self.root else None)


Tell = Callable[[NodeEntry], None]


async def apply_steps(node: str, target: NodeTarget, steps: Sequence[Step], who: str, tell: Tell) -> None:
    """Carry out steps, telling of every state before it may come about. Raises ArmFailed, NodeError, HostError."""
    async with NodeSession(target) as session:
        boot = (await session.hello()).boot_id
        journal = await session.journal()
    plan = NodePlan(node=target.name, boot_id=boot, profile=Profile(), steps=tuple(map(_planned, steps)))
    entry = NodeEntry(
        node=node,
        host=target.host,
        root=str(target.root) if target.root else None,
        plan=plan_hash(plan),
        before=tuple(one.id for one in journal.transactions),
        state="applying",
    )
    tell(entry)
    try:
        async with NodeSession(target) as session:
            request = Request(plan=plan, who=who, label=_LABEL, wait_s=_WAIT_S, profiled=False)
            outcome = await session.transact(request)
    except (NodeBusy, NodeNeedsRoot, PlanVoid):
        tell(replace(entry, state="nothing"))  # refused before anything was done
        raise
    except (NodeError, HostError):
        await undo_entry(entry, who, tell)  # nobody knows how far it has come: its journal does
        raise
    _ended(target.name, entry, outcome, tell)


async def undo_entry(entry: NodeEntry, who: str, tell: Tell) -> tuple[str, ...]:
    """Take a transaction back; return what somebody else changed since, and was therefore left.

    Raises ArmFailed when not all could be undone, NodeError, HostError.
    """
    async with NodeSession(entry.target, shared=False) as session:
        transaction = entry.transaction or await _find(session, entry)
        if not transaction:
            tell(replace(entry, state="nothing"))
            return ()
        end, undone = await session.revert(transaction, who, wait_s=_WAIT_S)
    if end.state == "incomplete":
        message = f"{entry.target.name}: not all of transaction {transaction} could be undone: {_failures(undone)}"
        raise ArmFailed(message, hint=f"see what is left: sparktune host status --nodes {entry.target.name}")
    tell(replace(entry, state="undone", transaction=transaction))
    return _foreign(entry.target.name, undone)


def _planned(step: Step) -> PlannedStep:
    return PlannedStep(change=_LABEL, target="", before="", after="", takes_effect=TakesEffect.LIVE, step=step)


def _ended(name: str, entry: NodeEntry, outcome: TransactionOutcome, tell: Tell) -> None:
    if outcome.state in {"committed", "unconfirmed"}:
        state: Literal["applied", "nothing"] = "applied" if outcome.transaction else "nothing"
        tell(replace(entry, state=state, transaction=outcome.transaction))
        return
    if outcome.state == "rolled_back":
        tell(replace(entry, state="nothing", transaction=outcome.transaction))
        message = f"{name}: {outcome.failed}; all was taken back"
        raise ArmFailed(message, hint="mend what the step met, and start again")
    tell(replace(entry, state="applied", transaction=outcome.transaction))
    message = f"{name}: {outcome.failed or outcome.state}; not all could be taken back"
    raise ArmFailed(message, hint=f"see what is left: sparktune host status --nodes {name}")


async def _find(session: NodeSession, entry: NodeEntry) -> str:
    """Return the transaction whose answer never came, "" when none was begun or nothing of it stands.

    Who works on the node now may be the agent of that transaction, about to begin it.
    """
    until = time.monotonic() + _WAIT_S
    journal = await session.journal()
    while journal.holder and not _new(journal, entry) and time.monotonic() < until:
        await asyncio.sleep(_LOOK_S)
        journal = await session.journal()
    new = _new(journal, entry)
    return new[-1].id if new and _stands(new[-1]) else ""


def _new(journal: Journal, entry: NodeEntry) -> list[Transaction]:
    return [one for one in journal.transactions if one.id not in entry.before and one.plan == entry.plan]


def _stands(transaction: Transaction) -> bool:
    return transaction.state in _STANDS


def _failures(undone: Sequence[UndoneTransaction]) -> str:
    said = [one.why for one in undone if one.why]
    said += [
        f"{item}: {result.why or result.outcome}"
        for one in undone
        for step in one.steps
        for item, result in step.items.items()
        if result.outcome == "failed"
    ]
    return "; ".join(said) or "the node does not say why"


def _foreign(name: str, undone: Sequence[UndoneTransaction]) -> tuple[str, ...]:
    return tuple(
        f"{name}: {item} was changed by somebody else meanwhile, and was left: {result.found}, before {result.wanted}"
        for one in undone
        for step in one.steps
        for item, result in step.items.items()
        if result.outcome == "foreign"
    )
