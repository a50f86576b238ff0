"""Pins that have not come to their end: at work now, or broken off half-way, which whoever comes next takes back."""

__all__ = ["given_back", "unended_names", "unended_of", "unended_rows"]

from collections.abc import Sequence
from dataclasses import replace

from sparktune.host.pinning.plan import LABEL
from sparktune.model.pin import RuleRow, RuleState
from sparktune.model.place import Poller
from sparktune.model.transaction import Transaction

_UNENDED = frozenset({"open", "incomplete"})
_MOVED = frozenset({"affinity", "threads"})
_WANTED = "all of it or nothing"
_BROKEN = "some of its threads may have been moved, and no other pin stands before it is taken back: {}"
_TAKE_BACK = "sparktune place unpin"


def unended_of(transactions: Sequence[Transaction]) -> tuple[Transaction, ...]:
    """Return the transactions of ``place pin`` that neither hold nor are taken back, the oldest first."""
    return tuple(one for one in transactions if one.label == LABEL and one.state in _UNENDED)


def unended_rows(transactions: Sequence[Transaction], holder: str) -> tuple[RuleRow, ...]:
    """Return a row for each: what is half done is neither pinned nor as before. ``holder`` works on the node now."""
    return tuple(_row(one, holder) for one in unended_of(transactions))


def unended_names(transactions: Sequence[Transaction]) -> tuple[str, ...]:
    """Return the names of all that broke off, whoever made them: they are taken back before anything is done."""
    return tuple(one.id for one in transactions if one.state in _UNENDED)


def given_back(pollers: Sequence[Poller], transactions: Sequence[Transaction], boot_id: str) -> tuple[Poller, ...]:
    """Return the threads with the CPUs that they have when a transaction begins: what is half done is undone first."""
    before: dict[str, str] = {}
    for one in reversed([one for one in transactions if one.state in _UNENDED and one.boot_id == boot_id]):
        # The first step that touched a thread is undone last.
        entries = [entry for entry in reversed(one.entries) if entry.kind in _MOVED]
        before |= {entry.item: entry.before for entry in entries if entry.before}
    return tuple(_with(poller, before) for poller in pollers)


def _with(poller: Poller, before: dict[str, str]) -> Poller:
    thread = poller.thread
    allowed = before.get(f"{thread.pid}/{thread.tid}/{thread.start_ticks}", thread.allowed)
    return replace(poller, thread=replace(thread, allowed=allowed))


def _row(one: Transaction, holder: str) -> RuleRow:
    if holder:
        target, state, why = "a pin that has not ended", RuleState.UNREADABLE, f"at work now: {holder}"
    elif one.state == "open":
        target, state, why = "a pin that broke off half-way", RuleState.NOT_PINNED, _BROKEN.format(_TAKE_BACK)
    else:
        why = f"try again: {_TAKE_BACK}; what stands in the way: sparktune host status"
        target, state = "a pin of which not all could be taken back", RuleState.NOT_PINNED
    return RuleRow(transaction=one.id, target=target, wanted=_WANTED, state=state, why=why, lasting=True)
