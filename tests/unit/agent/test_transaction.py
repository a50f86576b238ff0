"""What a transaction promises: all of it or nothing, and nothing when the machine is not as the plan saw it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.fake_kind import FIRST_BOOT, SECOND_BOOT, FakeKind, FakeNode, step

from sparktune.agent.refusal import Refused


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    return FakeNode(tmp_path, FakeKind(a="1", b="2"))


def test_what_is_done_is_told_and_kept_with_what_was_there(node: FakeNode) -> None:
    end = node.transact(step("first", a="9"), step("second", new="8"), plan="abc", profile={"name": "inference"})

    assert (end["state"], end["failed"]) == ("committed", "")
    assert end["outcomes"] == [{"a": "changed"}, {"new": "changed"}]
    assert node.kind.values == {"a": "9", "b": "2", "new": "8"}
    (listed,) = node.journal()
    assert listed["id"] == end["transaction"]
    assert [listed[name] for name in ("label", "who", "plan", "profile", "state", "boot_id")] == [
        *("test", "me", "abc", {"name": "inference"}, "committed", FIRST_BOOT)
    ]
    assert [tuple(entry.values()) for entry in listed["entries"]] == [
        ("first", "fake", "a", "1", "9"),
        ("second", "fake", "new", None, "8"),
    ]


def test_the_agent_is_kept_on_the_node_for_root_alone(node: FakeNode) -> None:
    node.transact(step(a="9"))

    assert (node.home / "agent.pyz").read_bytes() == b"the agent"
    assert node.home.stat().st_mode & 0o777 == 0o700
    private = [path for path in node.home.rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o077 for path in private} == {0}


@pytest.mark.parametrize(
    ("trouble", "why"), [("breaks", "b breaks"), ("refuses", "b refuses"), ("ignores", "is not so afterwards")]
)
def test_a_step_that_fails_takes_back_those_before_it(node: FakeNode, trouble: str, why: str) -> None:
    """Ineffective counts as failed: what was written, but is not so, must not be called done."""
    getattr(node.kind, trouble).add("b")

    end = node.transact(step("first", a="9"), step("second", b="9"), step("third", a="7"))

    assert end["state"] == "rolled_back"
    assert why in end["failed"]
    assert "second" in end["failed"]
    assert node.kind.values == {"a": "1", "b": "2"}
    assert [(part["step"], part["items"]["a"]["outcome"]) for part in end["undone"] if "a" in part["items"]] == [
        (0, "restored")
    ]


def test_what_single_items_refuse_does_not_undo_a_lenient_step(node: FakeNode) -> None:
    """One vector that the kernel places itself is no reason to leave the other 83 where they are."""
    node.kind.lenient = True
    node.kind.refuses.add("a")

    end = node.transact(step(a="9", b="9"))

    assert end["state"] == "committed"
    assert end["outcomes"] == [{"a": "refused", "b": "changed"}]
    assert node.revert()["outcomes"][end["transaction"]] == {"b": "restored"}


def test_what_cannot_be_taken_back_is_said_to_be_incomplete_and_tried_again(node: FakeNode) -> None:
    node.kind.breaks.add("b")
    undoing = node.kind.put_back
    node.kind.put_back = lambda *_arguments: node.kind.values["missing"]  # type: ignore[method-assign]
    end = node.transact(step(a="9"), step(b="9"))
    node.kind.put_back = undoing  # type: ignore[method-assign]

    assert end["state"] == "incomplete"
    assert "KeyError" in end["undone"][-1]["items"]["a"]["why"]
    assert [one["state"] for one in node.journal()] == ["incomplete"]
    assert node.revert()["states"] == ["rolled_back"]
    assert node.kind.values == {"a": "1", "b": "2"}


def test_a_plan_is_void_when_one_thing_that_it_saw_has_changed(node: FakeNode) -> None:
    seen = {**step(b="9"), "expect": {"b": "0"}}

    with pytest.raises(Refused, match=r"b has changed since the plan was made: from '0' to '2'") as refused:
        node.transact(step(a="9"), seen)

    assert refused.value.kind == "void"
    assert node.kind.values == {"a": "1", "b": "2"}
    assert node.journal() == []


def test_what_is_as_wanted_already_does_not_void_a_plan(node: FakeNode) -> None:
    """A playbook is run twice."""
    seen = {**step(b="9"), "expect": {"b": "2"}}
    node.transact(seen)

    assert node.transact(seen)["outcomes"] == [{"b": "already"}]


def test_a_plan_is_void_after_a_reboot(node: FakeNode) -> None:
    with pytest.raises(Refused, match="started again") as refused:
        node.transact(step(a="9"), boot_id=SECOND_BOOT)
    assert refused.value.kind == "void"


def test_a_step_that_nobody_knows_is_refused_before_anything_is_done(node: FakeNode) -> None:
    with pytest.raises(Refused, match="strange") as refused:
        node.transact(step(a="9"), {"kind": "strange", "change": "x"})
    assert refused.value.kind == "request"
    assert node.kind.done == []


@pytest.mark.parametrize("asked", [{"steps": None}, {"steps": ["x"]}, {"steps": [], "confirm_within_s": "soon"}, {}])
def test_what_is_no_transaction_is_refused(node: FakeNode, asked: dict[str, Any]) -> None:
    with pytest.raises(Refused) as refused:
        node.engine.transact({"label": "x", **asked})
    assert refused.value.kind == "request"
    assert not node.home.exists()


def test_a_plan_that_saw_what_a_crash_left_is_void_and_told_why(node: FakeNode) -> None:
    name = node.transact(step(a="9"))["transaction"]
    journal = node.home / "txn" / name / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))

    with pytest.raises(Refused, match=f"a has changed .* from '9' to '1' .* was undone: {name}"):
        node.transact({**step(a="7"), "expect": {"a": "9"}})

    assert node.kind.values["a"] == "1"


def test_doing_it_twice_changes_nothing_and_keeps_the_first_prior(node: FakeNode) -> None:
    node.transact(step(a="9"))
    done = list(node.kind.done)

    again = node.transact(step(a="9"))

    assert (again["state"], again["transaction"], again["outcomes"]) == ("committed", "", [{"a": "already"}])
    assert node.kind.done == done
    assert len(node.journal()) == 1
    node.revert()
    assert node.kind.values == {"a": "1", "b": "2"}


def test_a_reload_is_left_out_when_nothing_before_it_changed(node: FakeNode) -> None:
    node.kind.values["a"] = "9"
    reload = step("reload", again=True, manager="x")

    assert node.transact(step(a="9"), reload)["transaction"] == ""
    assert node.kind.done == []
    assert node.transact(reload)["outcomes"] == [{"manager": "changed"}]  # it alone was asked for


def test_a_reload_is_done_again_after_all_else_was_undone(node: FakeNode) -> None:
    reload = step("reload", again=True, manager="x")
    node.transact(step(a="9"), reload, step(b="9"))
    node.kind.done.clear()

    node.revert()

    assert [done["change"] for done in node.kind.done] == ["reload"]
    assert (node.kind.values["a"], node.kind.values["b"]) == ("1", "2")


def test_a_folder_that_cannot_be_used_refuses_and_nothing_is_touched(node: FakeNode) -> None:
    node.home.parent.mkdir(parents=True)
    node.home.write_text("somebody's file")

    with pytest.raises(Refused) as refused:
        node.transact(step(a="9"))

    assert refused.value.kind == "journal"
    assert node.kind.values == {"a": "1", "b": "2"}
    assert node.home.read_text() == "somebody's file"


def test_the_journal_is_listed_without_what_is_in_files(node: FakeNode) -> None:
    """A file may hold a token; it travels in no listing, and in no error."""
    node.kind.name = "file"
    secret = {**step(a="TOKEN=hunter2"), "kind": "file"}
    node.transact(secret)

    assert "hunter2" not in json.dumps(node.journal())
    with pytest.raises(Refused) as refused:
        node.transact({**secret, "set": {"a": "else"}, "expect": {"a": "TOKEN=other"}})
    assert "TOKEN" not in str(refused.value)
    node.kind.values["a"] = "TOKEN=hunter3"
    parts, _end = node.engine.revert({})
    assert "hunter" not in json.dumps(parts)
    assert "foreign" in json.dumps(parts)


@pytest.mark.parametrize("within_s", [float("nan"), float("inf"), -1.0, 1e300, "soon"])
def test_a_time_that_is_none_is_refused_before_anything_is_begun(node: FakeNode, within_s: Any) -> None:  # noqa: ANN401
    """A plan by hand may say anything: JSON as Python reads it has NaN and Infinity."""
    with pytest.raises(Refused, match="no time to wait for"):
        node.transact(step(a="9"), confirm_within_s=within_s)
    assert node.kind.values == {"a": "1", "b": "2"}
