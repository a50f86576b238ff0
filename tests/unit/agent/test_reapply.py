"""What a boot or a device that comes back has undone is done again, and undone with what it belongs to."""

from pathlib import Path

import pytest
from tests.support.fake_kind import FakeKind, FakeNode, step


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    return FakeNode(tmp_path, FakeKind(a="1", b="2"))


def _reapply(node: FakeNode) -> list[str]:
    return [str(one["of"]) for one in node.engine.reapply({})[0] if one["transaction"]]


def test_only_steps_that_ask_for_it_are_done_again(node: FakeNode) -> None:
    name = node.transact(step(a="9", reapply=True), step(b="9"))["transaction"]
    node.reboot()
    node.kind.values = {"a": "1", "b": "2"}

    assert _reapply(node) == [name]

    assert node.kind.values == {"a": "9", "b": "2"}
    assert [one["label"] for one in node.journal()] == ["test", "reapply"]


def test_what_is_so_still_is_left_alone(node: FakeNode) -> None:
    node.transact(step(a="9", reapply=True))
    assert _reapply(node) == []
    assert len(node.journal()) == 1


def test_a_plan_of_before_does_not_void_it(node: FakeNode) -> None:
    node.transact({**step(a="9", reapply=True), "expect": {"a": "1"}})
    node.kind.values["a"] = "3"
    assert len(_reapply(node)) == 1
    assert node.kind.values["a"] == "9"


def test_after_a_reboot_a_revert_puts_back_what_this_boot_had(node: FakeNode) -> None:
    node.transact(step(a="9", reapply=True))
    node.reboot()
    node.kind.values["a"] = "5"
    _reapply(node)

    assert node.revert()["state"] == "reverted"
    assert node.kind.values["a"] == "5"


def test_a_device_that_came_back_gets_what_was_there_first(node: FakeNode) -> None:
    """What a driver set when it was loaded again is nobody's edit, and one transaction takes its repetition along."""
    name = node.transact(step(a="9", reapply=True))["transaction"]
    node.kind.values["a"] = "4"
    _reapply(node)

    assert list(node.revert(name)["outcomes"].values()) == [{"a": "restored"}, {"a": "restored"}]
    assert node.kind.values["a"] == "1"


def test_repetitions_of_another_boot_are_forgotten(node: FakeNode) -> None:
    node.transact(step(a="9", reapply=True))
    for boot in ("2", "3", "4"):
        node.reboot(f"boot-{boot}")
        node.kind.values["a"] = "1"
        _reapply(node)
    assert [one["boot_id"] for one in node.journal()][1:] == ["boot-4"]


def test_of_two_that_want_the_same_the_newer_one_counts(node: FakeNode) -> None:
    node.transact(step(a="8", reapply=True))
    newer = node.transact(step(a="9", reapply=True))["transaction"]
    node.reboot()
    node.kind.values["a"] = "1"

    assert _reapply(node) == [newer]
    assert node.kind.values["a"] == "9"
    assert _reapply(node) == []


def test_what_was_reverted_is_not_done_again(node: FakeNode) -> None:
    node.transact(step(a="9", reapply=True))
    node.revert()
    assert _reapply(node) == []
    assert node.kind.values["a"] == "1"


def test_what_fails_is_taken_back_and_said(node: FakeNode) -> None:
    node.transact(step(a="9", reapply=True))
    node.kind.values["a"] = "1"
    node.kind.breaks.add("a")

    done, end = node.engine.reapply({})

    assert end["state"] == "incomplete"
    assert "a breaks" in done[0]["failed"]


def test_a_crash_before_the_boot_is_recovered_first(node: FakeNode) -> None:
    node.kind.lasting = True
    name = node.transact(step(a="9", reapply=True))["transaction"]
    journal = node.home / "txn" / name / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    node.reboot()

    end = node.engine.reapply({})[1]

    assert [one["state"] for one in end["recovered"]] == ["rolled_back"]
    assert node.kind.values["a"] == "1"
