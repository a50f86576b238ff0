"""What a node says of its transactions: it is what was agreed on and can be so, or it is refused."""

import json
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.plans import EVERY_STEP, plan_of

from sparktune.host.step_json import plan_hash
from sparktune.io.transport.changes_wire import (
    Journal,
    Request,
    decode_end,
    decode_step,
    decode_undone,
    encode_request_of,
)
from sparktune.io.transport.wire import NotTheAgent, decode_part
from sparktune.model.transaction import ItemResult, StepResult, TransactionOutcome, UndoneTransaction

_STEP = {"step": 0, "kind": "value", "change": "sysctl", "items": {"/proc/sys/vm/swappiness": {"outcome": "changed"}}}
_END = {"transaction": "1-a", "state": "committed", "failed": "", "undone": [], "recovered": []}
_TRANSACTION = {
    "id": "1-a",
    "label": "apply",
    "state": "committed",
    "boot_id": "b",
    "began_ns": 1,
    "ended_ns": 2,
    "confirm_by_ns": 0,
    "who": "me",
    "plan": "hash",
    "profile": {"name": "inference"},
    "entries": [{"change": "sysctl", "kind": "value", "item": "/a", "before": None, "after": "1"}],
}


def _raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(json.dumps(value).encode())


def test_a_plan_travels_with_its_hash_its_boot_and_its_profile() -> None:
    plan = plan_of(*EVERY_STEP)

    told = encode_request_of(Request(plan=plan, who="me", confirm_within_s=60.0, wait_s=5.0))

    assert told["plan"] == plan_hash(plan)
    assert (told["boot_id"], told["who"], told["confirm_within_s"], told["wait_s"]) == ("boot", "me", 60.0, 5.0)
    assert told["profile"]["mode"] == "slices"
    assert len(told["steps"]) == len(EVERY_STEP)
    assert "confirm_within_s" not in encode_request_of(Request(plan=plan, who="me"))


def test_a_step_and_its_items_are_decoded() -> None:
    step = decode_step(_raw(_STEP), 0)

    assert step.items == {"/proc/sys/vm/swappiness": ItemResult(outcome="changed")}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (_STEP | {"step": 1}, "step 1 where step 0"),
        (_STEP | {"items": {"/a": {}}}, "outcome"),
        (_STEP | {"items": []}, "object"),
        ({}, "step"),
    ],
)
def test_a_step_that_was_not_asked_for_is_refused(value: object, words: str) -> None:
    with pytest.raises(NotTheAgent, match=words):
        decode_step(_raw(value), 0)


@pytest.mark.parametrize(
    ("end", "told", "words"),
    [
        (_END, 0, "committed after 0 of 1 steps"),
        (_END | {"failed": "step 0"}, 1, "committed after 1 of 1"),
        (_END | {"state": "unconfirmed"}, 0, "unconfirmed after 0"),
        (_END | {"state": "splendid"}, 1, "splendid"),
        (_END | {"more": 1}, 1, "more"),
        ({"state": "committed"}, 1, "transaction"),
    ],
)
def test_an_end_that_cannot_be_is_refused(end: object, told: int, words: str) -> None:
    """A node that says that all is done, having told of nothing, is not believed."""
    steps = [StepResult(step=0, kind="value", change="sysctl")] * told

    with pytest.raises(NotTheAgent, match=words):
        decode_end(_raw(end), steps, 1)


def test_a_transaction_that_was_taken_back_is_told_with_what_was_done() -> None:
    end = _END | {"state": "rolled_back", "failed": "step 1: refused", "undone": [_STEP]}

    outcome = decode_end(_raw(end), [decode_step(_raw(_STEP), 0)], 2)

    assert (outcome.state, outcome.failed) == ("rolled_back", "step 1: refused")
    assert outcome.steps == outcome.undone


def test_a_journal_is_decoded() -> None:
    journal = decode_part(_raw({"transactions": [_TRANSACTION], "holder": ""}), Journal)

    (transaction,) = journal.transactions
    assert transaction.entries[0].before is None
    assert transaction.profile == {"name": "inference"}


def test_what_was_undone_is_decoded() -> None:
    undone = decode_undone(_raw({"transaction": "1-a", "state": "reverted", "steps": [_STEP]}))

    assert undone.steps[0].change == "sysctl"


_NAMES = st.sampled_from([*_STEP, *_END, *_TRANSACTION, "transactions", "holder", "outcome"])
_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(_ANYTHING)
def test_whatever_comes_is_understood_or_refused(value: object) -> None:
    """Never a traceback, and never something else than was asked for."""
    for decode, kind in (
        (lambda raw: decode_step(raw, 0), StepResult),
        (lambda raw: decode_end(raw, (), 1), TransactionOutcome),
        (decode_undone, UndoneTransaction),
        (lambda raw: decode_part(raw, Journal), Journal),
    ):
        with suppress(NotTheAgent):
            assert isinstance(decode(_raw(value)), kind)
