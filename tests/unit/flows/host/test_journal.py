"""Where a node stands, as its journal has it: what is half done is never passed over."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from sparktune.flows.host.journal import applied_profile, newest_applied, state_of
from sparktune.io.transport.changes_wire import Journal
from sparktune.model.node_report import NodeState
from sparktune.model.profile import IrqPolicy, Mode, Profile
from sparktune.model.transaction import State, Transaction


def _transactions(*states: State, profile: dict[str, Any] | None = None) -> tuple[Transaction, ...]:
    kept = {"name": "inference"} if profile is None else profile
    return tuple(
        Transaction(id=str(place), label="apply", state=state, boot_id=f"b{place}", began_ns=place, profile=kept)
        for place, state in enumerate(states)
    )


@pytest.mark.parametrize(
    ("states", "holder", "expected"),
    [
        ((), "", NodeState.UNTOUCHED),
        (("committed",), "", NodeState.APPLIED),
        (("committed", "unconfirmed"), "", NodeState.UNCONFIRMED),
        (("committed", "rolled_back"), "", NodeState.APPLIED),
        (("rolled_back",), "", NodeState.ROLLED_BACK),
        (("rolled_back", "reverted"), "", NodeState.REVERTED),
        (("reverted", "given_up"), "", NodeState.GIVEN_UP),
        (("given_up", "committed"), "", NodeState.APPLIED),
        (("committed", "open"), "", NodeState.INCOMPLETE),
        (("committed", "open"), "me, since noon", NodeState.UNKNOWN),
        (("incomplete", "committed"), "", NodeState.INCOMPLETE),
    ],
)
def test_what_counts_first(states: tuple[State, ...], holder: str, expected: NodeState) -> None:
    assert state_of(Journal(transactions=_transactions(*states), holder=holder)) is expected


def test_the_newest_that_holds_and_has_a_profile_is_what_is_verified() -> None:
    transactions = (*_transactions("committed", "committed", "reverted"), *_transactions("committed", profile={}))

    newest = newest_applied(transactions)

    assert newest is not None
    assert newest.boot_id == "b1"
    assert newest_applied(_transactions("reverted", "rolled_back", "open")) is None


def test_a_profile_comes_back_from_the_journal() -> None:
    profile = Profile(mode=Mode.CLASSIC, irq=IrqPolicy.SPREAD, sysctls={"vm.swappiness": "10"}, without=("compose",))
    (transaction,) = _transactions("committed")

    assert applied_profile(replace(transaction, profile=msgspec.to_builtins(profile))) == profile
    assert applied_profile(replace(transaction, profile={"mode": "of a later version"})) is None
