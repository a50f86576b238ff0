"""What a node's journal says of where the node stands, and of what was applied there."""

__all__ = ["applied_profile", "at_rest", "held_entries", "newest_applied", "state_in", "state_of", "try_journal"]

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from sparktune.errors import ChangeFailed, NodeNeedsRoot
from sparktune.io.transport.changes_wire import Journal
from sparktune.io.transport.readable import ReadableNode
from sparktune.model.node_report import NodeState
from sparktune.model.profile import Profile
from sparktune.model.transaction import JournalEntry, State, Transaction
from sparktune.units import Seconds

_LOOK_EVERY_S: Final[Seconds] = 0.5
_PATIENCE_S: Final[Seconds] = 60.0  # as long as a step may wait for a program
_APPLIED: Final = frozenset({"committed", "unconfirmed"})
# Left over from a crash, an open transaction is half of one.
_STATES: Final[dict[State, NodeState]] = {
    "open": NodeState.INCOMPLETE,
    "committed": NodeState.APPLIED,
    "unconfirmed": NodeState.UNCONFIRMED,
    "rolled_back": NodeState.ROLLED_BACK,
    "reverted": NodeState.REVERTED,
    "incomplete": NodeState.INCOMPLETE,
    "given_up": NodeState.GIVEN_UP,
}


def state_in(transaction: Transaction) -> NodeState:
    """Return where a node stands after a transaction."""
    return _STATES[transaction.state]


def state_of(journal: Journal) -> NodeState:
    """Return where a node stands: what is half done counts first, then what is applied, then what came last."""
    states = [state_in(transaction) for transaction in journal.transactions]
    at_work = journal.holder and any(transaction.state == "open" for transaction in journal.transactions)
    if NodeState.INCOMPLETE in states:
        return NodeState.UNKNOWN if at_work else NodeState.INCOMPLETE
    for state in (NodeState.UNCONFIRMED, NodeState.APPLIED):
        if state in states:
            return state
    return states[-1] if states else NodeState.UNTOUCHED


def newest_applied(transactions: Sequence[Transaction]) -> Transaction | None:
    """Return the newest transaction that applied a profile and still holds."""
    applied = [one for one in transactions if one.state in _APPLIED and one.profile]
    return applied[-1] if applied else None


def held_entries(transactions: Sequence[Transaction]) -> tuple[JournalEntry, ...]:
    """Return what transactions that still hold have done, the oldest first."""
    return tuple(entry for one in transactions if one.state in _APPLIED for entry in one.entries)


def applied_profile(transaction: Transaction) -> Profile | None:
    """Return the profile that a transaction applied, None when this version cannot understand it."""
    try:
        return msgspec.convert(dict(transaction.profile), Profile)
    except msgspec.ValidationError:
        return None


async def try_journal(node: ReadableNode) -> tuple[Journal | None, str]:
    """Return a node's journal, or why there is none to see."""
    try:
        return await node.journal(), ""
    except (NodeNeedsRoot, ChangeFailed) as error:
        said = str(error).removeprefix(f"{node.target.name}: ")
        return None, f"what was applied here before is not known: {said}"


async def at_rest(node: ReadableNode, rests: Callable[[Journal], bool]) -> Journal:
    """Return a node's journal when it says what is waited for, or as it is when patience has ended."""
    journal = await node.journal()
    for _ in range(int(_PATIENCE_S / _LOOK_EVERY_S)):
        if rests(journal):
            break
        await asyncio.sleep(_LOOK_EVERY_S)
        journal = await node.journal()
    return journal
