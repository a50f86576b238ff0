"""What the last revert left is told for as long as nothing of ours has changed it since, and no longer."""

from dataclasses import replace

import pytest

from sparktune.model.node_report import NodeReport, NodeState
from sparktune.model.transaction import JournalEntry, LeftItem, Transaction
from sparktune.report.host import Look, give_up_text, status_text
from sparktune.report.host.left import left_by_last_revert


def _left(item: str, outcome: str = "foreign") -> LeftItem:
    return LeftItem(change="sysctl", kind="value", item=item, outcome=outcome, before="60", found="33")  # type: ignore[arg-type]


def _entry(item: str) -> JournalEntry:
    return JournalEntry(change="sysctl", kind="value", item=item, before="33", after="1")


_OLD = Transaction(id="1", label="", state="reverted", boot_id="", began_ns=10, ended_ns=20, left=(_left("old"),))
_FIRST = Transaction(id="2", label="", state="reverted", boot_id="", began_ns=30, ended_ns=51, left=(_left("a"),))
_SECOND = Transaction(
    id="3", label="", state="given_up", boot_id="", began_ns=40, ended_ns=50, left=(_left("b", "failed"),)
)
_THIRD = Transaction(id="4", label="", state="committed", boot_id="", began_ns=60, entries=(_entry("a"),))


@pytest.mark.parametrize(
    ("transactions", "items"),
    [
        ((), ()),
        ((_OLD,), ("old",)),
        # One revert undoes all that began before it.
        ((_OLD, _FIRST, _SECOND), ("a", "b")),
        # What was applied since has its own prior, and its own line.
        ((_OLD, _FIRST, _SECOND, _THIRD), ("b",)),
        # A revert of all that left nothing is the last one, too.
        ((_OLD, replace(_FIRST, left=())), ()),
        ((_THIRD,), ()),
    ],
)
def test_only_the_last_revert_counts(transactions: tuple[Transaction, ...], items: tuple[str, ...]) -> None:
    assert tuple(item.item for item in left_by_last_revert(transactions)) == items


def test_what_was_not_tried_is_not_said_to_have_failed() -> None:
    open_one = replace(_SECOND, state="incomplete", left=(replace(_left("b", "failed"), found=None),))

    text = status_text([NodeReport(node="spark1", state=NodeState.INCOMPLETE, transactions=(open_one,))], look=Look())

    assert "60; is not put back yet" in text
    assert "could not be put back:" not in text
    assert "revert --give-up 3" in text


def test_a_refusal_is_no_success() -> None:
    text = give_up_text([NodeReport(node="spark1", failure="spark1: it is applied")], look=Look())

    assert text.startswith("spark1: not given up\n  it is applied\n")


def test_what_could_be_undone_after_all_is_told() -> None:
    text = give_up_text([NodeReport(node="spark1", state=NodeState.REVERTED)], look=Look())

    assert text.startswith("spark1: nothing had to be given up; ")
