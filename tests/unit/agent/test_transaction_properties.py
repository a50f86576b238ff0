"""Whatever is applied, in whatever order, with whatever crashes in between: reverting is what undoes it."""

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.fake_kind import FakeKind, FakeNode, step

from sparktune.agent.refusal import Refused

_ITEMS = ("a", "b", "c")
_VALUES = st.dictionaries(st.sampled_from(_ITEMS), st.sampled_from("123"), min_size=1)
_STEPS = st.lists(_VALUES, min_size=1, max_size=3)
# How many records the crash kept from being written: none, the last one, or the last step's, too.
_TRANSACTIONS = st.lists(st.tuples(_STEPS, st.integers(0, 2)), min_size=1, max_size=5)
_START = st.dictionaries(st.sampled_from(_ITEMS), st.sampled_from("0123"))


def _cut(node: FakeNode, transaction: str, records: int) -> None:
    if transaction and records:
        journal = node.home / "txn" / transaction / "journal.jsonl"
        lines = journal.read_bytes().splitlines(keepends=True)
        journal.write_bytes(b"".join(lines[:-records]) + lines[-records][:7])


@settings(max_examples=60)
@given(start=_START, transactions=_TRANSACTIONS)
def test_reverting_all_is_the_identity(start: dict[str, str], transactions: list[tuple[Any, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        node = FakeNode(Path(folder), FakeKind(**start))
        for steps, lost in transactions:
            end = node.transact(*(step(**values) for values in steps))
            _cut(node, end["transaction"], lost)
        assert node.revert()["state"] in {"reverted", "nothing"}
        assert node.kind.values == start
        assert node.revert()["state"] == "nothing"


@settings(max_examples=40)
@given(start=_START, transactions=_TRANSACTIONS, edited=st.sampled_from(_ITEMS))
def test_an_edit_of_somebody_else_is_never_lost(
    start: dict[str, str], transactions: list[tuple[Any, int]], edited: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        node = FakeNode(Path(folder), FakeKind(**start))
        for steps, _lost in transactions:
            node.transact(*(step(**values) for values in steps))
        node.kind.values[edited] = "theirs"
        node.revert()
        assert node.kind.values == {**start, edited: "theirs"}


@settings(max_examples=40)
@given(start=_START, transactions=_TRANSACTIONS, which=st.integers(0, 4))
def test_undoing_one_undoes_what_it_did_or_is_refused(
    start: dict[str, str], transactions: list[tuple[Any, int]], which: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        node = FakeNode(Path(folder), FakeKind(**start))
        states = [dict(start)]
        names = []
        for steps, _lost in transactions:
            names.append(node.transact(*(step(**values) for values in steps))["transaction"])
            states.append(dict(node.kind.values))
        kept = [(name, before, after) for name, before, after in zip(names, states, states[1:], strict=False) if name]
        if not kept:
            return
        name, before, after = kept[which % len(kept)]
        changed = {item for item in _ITEMS if before.get(item) != after.get(item)}
        try:
            node.revert(name)
        except Refused:
            assert node.kind.values == states[-1]
        else:
            assert node.kind.values == {
                item: value
                for item in _ITEMS
                if (value := (before if item in changed else states[-1]).get(item)) is not None
            }
