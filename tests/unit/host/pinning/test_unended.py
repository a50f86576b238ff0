"""Half a pin is neither pinned nor as before: what is told of it, and what a plan counts with."""

import pytest
from tests.support.pin_views import pin_poller

from sparktune.host.pinning.plan import LABEL
from sparktune.host.pinning.unended import given_back, unended_of, unended_rows
from sparktune.model.pin import RuleState
from sparktune.model.transaction import JournalEntry, Transaction

_ITEM = "10/11/500"  # the thread of pin_poller


def _transaction(state: str, *befores: str, label: str = LABEL, boot_id: str = "b", number: int = 1) -> Transaction:
    entries = tuple(
        JournalEntry(change="place", kind="affinity", item=_ITEM, before=before, after=None) for before in befores
    )
    return Transaction(
        id=f"{number:04d}-x",
        label=label,
        state=state,  # type: ignore[arg-type]
        boot_id=boot_id,
        began_ns=1,
        entries=entries,
    )


@pytest.mark.parametrize(
    ("state", "holder", "said"),
    [
        ("open", "", (RuleState.NOT_PINNED, "a pin that broke off half-way")),
        ("incomplete", "", (RuleState.NOT_PINNED, "a pin of which not all could be taken back")),
        ("open", "place pin by ann", (RuleState.UNREADABLE, "a pin that has not ended")),
    ],
)
def test_what_did_not_end_has_a_row_that_differs(state: str, holder: str, said: tuple[RuleState, str]) -> None:
    (row,) = unended_rows([_transaction(state)], holder)

    assert (row.state, row.target) == said
    assert row.state.differs
    assert ("sparktune place unpin" in row.why) is not bool(holder)
    assert holder in row.why


@pytest.mark.parametrize("state", ["committed", "unconfirmed", "rolled_back", "reverted", "given_up"])
def test_what_has_ended_or_is_of_others_has_none(state: str) -> None:
    assert unended_of([_transaction(state), _transaction("open", label="apply")]) == ()


_GIVEN = [
    ("nothing is open", [_transaction("committed", "0-9")], "3"),
    ("it is given back what it had", [_transaction("open", "0-9")], "0-9"),
    ("also what another verb left", [_transaction("open", "0-9", label="apply")], "0-9"),
    ("what it had before the first step", [_transaction("open", "0-9", "0-4")], "0-9"),
    ("before the first transaction", [_transaction("incomplete", "0-9"), _transaction("open", "1", number=2)], "0-9"),
    ("what was in another boot is gone", [_transaction("open", "0-9", boot_id="older")], "3"),
]


@pytest.mark.parametrize(("_why", "transactions", "allowed"), _GIVEN, ids=[one[0] for one in _GIVEN])
def test_a_plan_counts_with_what_a_thread_has_when_it_begins(
    _why: str, transactions: list[Transaction], allowed: str
) -> None:
    """A thread that was moved before the crash is not right already: it is moved back first."""
    (poller,) = given_back([pin_poller({"allowed": "3"})], transactions, "b")
    assert poller.thread.allowed == allowed
