"""A revert that is a revert: what was there first comes back, whatever came in between, and nobody's edit is lost."""

from pathlib import Path

import pytest
from tests.support.fake_kind import FakeKind, FakeNode, step

from sparktune.agent.refusal import Refused


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    return FakeNode(tmp_path, FakeKind(a="1", b="2"))


def test_nothing_to_undo_is_no_failure(node: FakeNode) -> None:
    assert node.revert() == {"transactions": 0, "state": "nothing", "outcomes": {}, "states": []}
    assert not node.home.exists()


def test_what_was_there_first_comes_back_from_under_several_transactions(node: FakeNode) -> None:
    names = [node.transact(step(a=value))["transaction"] for value in ("7", "8", "9")]

    end = node.revert()

    assert (end["state"], end["transactions"]) == ("reverted", 3)
    assert list(end["outcomes"]) == names[::-1]
    assert node.kind.values == {"a": "1", "b": "2"}
    assert node.revert()["state"] == "nothing"


def test_steps_on_one_item_are_undone_in_reverse(node: FakeNode) -> None:
    node.transact(step(a="7"), step(a="8", new="3"))
    node.revert()
    assert node.kind.values == {"a": "1", "b": "2"}


def test_what_somebody_else_changed_is_left_and_named(node: FakeNode) -> None:
    node.transact(step(a="9", b="9"))
    node.kind.values["a"] = "5"

    parts, end = node.engine.revert({})

    items = parts[0]["steps"][0]["items"]
    assert end["state"] == "reverted"
    assert items["b"] == {"outcome": "restored"}
    said = items["a"]
    assert (said["outcome"], said["found"], said["wanted"]) == ("foreign", "5", "1")
    assert node.kind.values == {"a": "5", "b": "2"}


def test_what_was_left_is_known_again_though_its_kind_makes_no_sense_of_it(node: FakeNode) -> None:
    """A value that cannot be compared is still nobody else's: left in place it would be called taken back."""
    node.kind.same = lambda _step, one, other: "?" not in one + other and one == other  # type: ignore[method-assign]
    node.kind.reached = lambda _step, _item, _value: False  # type: ignore[method-assign]

    end = node.transact(step(a="?"))

    assert end["state"] == "rolled_back"
    assert node.kind.values == {"a": "1", "b": "2"}


def test_what_is_as_before_by_somebody_elses_hand_needs_nothing(node: FakeNode) -> None:
    name = node.transact(step(a="9"))["transaction"]
    node.kind.values["a"] = "1"
    assert node.revert()["outcomes"] == {name: {"a": "already"}}


def test_what_is_gone_is_no_edit_for_a_kind_whose_items_go(node: FakeNode) -> None:
    node.kind.lenient = True
    name = node.transact(step(a="9"))["transaction"]
    del node.kind.values["a"]
    assert node.revert()["outcomes"] == {name: {"a": "gone"}}


def test_what_was_removed_by_somebody_else_stays_removed(node: FakeNode) -> None:
    name = node.transact(step(a="9"))["transaction"]
    del node.kind.values["a"]
    assert node.revert()["outcomes"] == {name: {"a": "foreign"}}
    assert "a" not in node.kind.values


def test_values_of_another_boot_mean_nothing(node: FakeNode) -> None:
    name = node.transact(step(a="9"))["transaction"]
    node.reboot()
    node.kind.values["a"] = "9"
    assert node.revert()["outcomes"] == {name: {"a": "void"}}
    assert node.kind.values["a"] == "9"


def test_what_lasts_comes_back_after_a_reboot(node: FakeNode) -> None:
    node.kind.lasting = True
    node.transact(step(a="9"))
    node.reboot()
    node.revert()
    assert node.kind.values["a"] == "1"


def test_what_cannot_be_put_back_is_incomplete_until_it_can(node: FakeNode) -> None:
    first = node.transact(step(a="8"))["transaction"]
    second = node.transact(step(a="9", b="9"))["transaction"]
    node.kind.refuses.add("a")

    end = node.revert()

    assert end["state"] == "incomplete"
    assert end["outcomes"] == {second: {"b": "restored", "a": "failed"}, first: {}}
    with pytest.raises(Refused, match="could not be undone"):
        node.transact(step(b="5"))
    node.kind.refuses.clear()
    assert node.revert()["state"] == "reverted"
    assert node.kind.values == {"a": "1", "b": "2"}


def test_what_was_settled_is_not_looked_at_again(node: FakeNode) -> None:
    """Between two attempts somebody may rightly change what was put back."""
    node.transact(step(a="9", b="9"))
    node.kind.refuses.add("a")
    node.revert()
    node.kind.values["b"] = "5"
    node.kind.refuses.clear()

    assert list(node.revert()["outcomes"].values()) == [{"a": "restored", "b": "restored"}]
    assert node.kind.values == {"a": "1", "b": "5"}


def test_one_transaction_can_be_undone_alone(node: FakeNode) -> None:
    first = node.transact(step(a="9"))["transaction"]
    node.transact(step(b="9"))
    node.revert(first)
    assert node.kind.values == {"a": "1", "b": "9"}


def test_one_below_a_later_one_cannot_be_undone_alone(node: FakeNode) -> None:
    first = node.transact(step(a="8"))["transaction"]
    second = node.transact(step(a="9"))["transaction"]

    with pytest.raises(Refused, match=f"{second} has changed a after {first}") as refused:
        node.revert(first)

    assert refused.value.kind == "transaction"
    assert node.kind.values["a"] == "9"


def test_a_name_that_nobody_knows_is_refused(node: FakeNode) -> None:
    for name in ("0001-x", "../../etc"):
        with pytest.raises(Refused) as refused:
            node.revert(name)
        assert refused.value.kind == "transaction"
        node.transact(step(a="9"))


def test_one_below_another_that_could_not_be_undone_cannot_be_undone_either(node: FakeNode) -> None:
    first = node.transact(step(a="8"))["transaction"]
    node.transact(step(a="9"))
    node.kind.refuses.add("a")
    node.revert()

    with pytest.raises(Refused, match="has changed a after"):
        node.revert(first)

    assert node.kind.values["a"] == "9"


def test_what_could_not_be_undone_does_not_keep_others_from_it(node: FakeNode) -> None:
    node.transact(step(b="9"))
    node.transact(step(a="9"))
    node.kind.refuses.add("a")

    assert node.revert()["state"] == "incomplete"
    assert node.kind.values == {"a": "9", "b": "2"}
