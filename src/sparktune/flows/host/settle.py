"""Find out from a node's journal what became of a transaction whose answer broke off."""

__all__ = ["Broken", "settle"]

from collections.abc import Collection
from dataclasses import dataclass, replace

from sparktune.errors import HostError, NodeError
from sparktune.flows.host.journal import at_rest, state_in
from sparktune.flows.host.look import failed
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.changes_wire import Journal
from sparktune.io.transport.session import NodeSession
from sparktune.model.node_report import NodeReport, NodeState
from sparktune.model.transaction import Transaction, TransactionOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A transaction in the dark: its plan's hash, the transactions that were there before it, what was told."""

    target: NodeTarget
    plan: str
    before: Collection[str]
    error: NodeError | HostError
    who: str


async def settle(broken: Broken) -> NodeReport:
    """Ask once more, over a new connection; a transaction that died half-way is taken back.

    The report's ``failure`` is the error; its state what the journal says, UNKNOWN when that cannot be had either.
    """
    report = replace(failed(broken.target.name, broken.error), state=NodeState.UNKNOWN)
    try:
        async with NodeSession(broken.target, shared=False) as node:
            journal = await at_rest(node, lambda journal: _is_settled(journal, broken))
            ours = _ours(journal, broken)
            if ours is None:
                state = NodeState.UNKNOWN if journal.holder else NodeState.UNTOUCHED
                return replace(report, state=state, holder=journal.holder, notes=(_not_begun(journal.holder),))
            if ours.state == "open" and not journal.holder:
                return await _taken_back(node, broken, ours, report)
            return _told(report, broken, ours, journal.holder)
    except (NodeError, HostError) as again:
        return replace(report, notes=(*report.notes, f"asked once more: {again}"))


def _is_settled(journal: Journal, broken: Broken) -> bool:
    ours = _ours(journal, broken)
    return not journal.holder or (ours is not None and ours.state != "open")


def _ours(journal: Journal, broken: Broken) -> Transaction | None:
    new = [one for one in journal.transactions if one.id not in broken.before and one.plan == broken.plan]
    return new[-1] if new else None


def _not_begun(holder: str) -> str:
    return f"another one works there: {holder}" if holder else "its journal has no such transaction: nothing was done"


async def _taken_back(node: NodeSession, broken: Broken, ours: Transaction, report: NodeReport) -> NodeReport:
    end, undone = await node.revert(ours.id, broken.who)
    complete = end.state == "reverted"
    return replace(
        report,
        state=NodeState.ROLLED_BACK if complete else NodeState.INCOMPLETE,
        outcome=_outcome(broken, replace(ours, state="rolled_back" if complete else "incomplete")),
        undone=undone,
        notes=("it died half-way and was taken back",) if complete else ("it died half-way, not all was taken back",),
    )


def _told(report: NodeReport, broken: Broken, ours: Transaction, holder: str) -> NodeReport:
    state = NodeState.UNKNOWN if ours.state == "open" else state_in(ours)
    what = f"at work still: {holder}" if ours.state == "open" else f"its journal says {ours.state.replace('_', ' ')}"
    return replace(report, state=state, outcome=_outcome(broken, ours), holder=holder, notes=(what,))


def _outcome(broken: Broken, ours: Transaction) -> TransactionOutcome:
    return TransactionOutcome(transaction=ours.id, state=ours.state, failed=str(broken.error))
