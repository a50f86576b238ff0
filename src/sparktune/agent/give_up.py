"""The way out for a transaction that can never be undone, because what it changed is gone for good.

Nothing is forgotten: the journal keeps every prior, and says who gave up what. Only then is the way free for others.
"""

__all__ = ["give_up"]

import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

from sparktune.agent.home import Home
from sparktune.agent.journal import Journal
from sparktune.agent.kind import Kind
from sparktune.agent.left import left_of, open_items
from sparktune.agent.past import Past
from sparktune.agent.recover import Recovery
from sparktune.agent.refusal import JOURNAL, TRANSACTION, VOID, Refused

_STATES = {"committed": "applied", "open": "left half done by a crash", "unconfirmed": "waiting to be confirmed"}


def give_up(
    find: Callable[[str], Past],
    home: Home,
    recovery: Recovery,
    kinds: Mapping[str, Kind],
    request: Mapping[str, Any],
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Try once more to undo it, then give up what is still not as before; for whoever holds the lock.

    ``find`` returns a transaction as it is now, or raises Refused.
    ``items`` of the request are those that somebody was shown and agreed to: more than these are not given up. Raises
    Refused; whatever was undone in between stays undone.
    """
    name, agreed = str(request["transaction"]), request.get("items")
    _refuse_other_than_incomplete(find(name))
    undone = recovery.recover()
    past = find(name)
    why = next((str(one.get("why") or "") for one in undone if one["transaction"] == name), "")
    if past.state == "incomplete" and why:
        raise Refused(TRANSACTION, f"transaction {name} was not looked at: {why}")
    if past.state == "incomplete":
        _refuse_more(past, agreed if isinstance(agreed, list) else [])
        _write(home, past, str(request.get("who") or "somebody"))
        past = find(name)
    return undone, {"transaction": name, "state": past.state, "left": left_of(past, kinds)}


def _refuse_other_than_incomplete(past: Past) -> None:
    if past.damage:
        raise Refused(JOURNAL, f"{past.damage}: nothing can be written into it")
    if past.over:
        raise Refused(TRANSACTION, f"transaction {past.id} is over ({past.state.replace('_', ' ')}): nothing blocks")
    if past.state != "incomplete":
        said = _STATES[past.state]
        raise Refused(TRANSACTION, f"transaction {past.id} is {said}: revert it; what that cannot undo can be given up")


def _refuse_more(past: Past, agreed: Collection[Any]) -> None:
    more = sorted(item for item in open_items(past) if item not in agreed)
    if more:
        raise Refused(VOID, f"{more[0]} would be given up, too, and that was not agreed to")


def _write(home: Home, past: Past, who: str) -> None:
    try:
        journal = Journal(home.folder(past.id))
        try:
            journal.write("GIVEN_UP", at=time.time_ns(), who=who, items=sorted(open_items(past)))
        finally:
            journal.close()
        journal.free_reserve()
    except OSError as error:
        raise Refused(JOURNAL, f"its journal cannot be written: {error.strerror}") from None
