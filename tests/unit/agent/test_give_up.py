"""A transaction that can never be undone lets others begin, once somebody has let go of exactly what it names."""

import json
from pathlib import Path

import pytest
from tests.support.fake_kind import FakeKind, FakeNode, step

from sparktune.agent import home, journal
from sparktune.agent.refusal import Refused


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    return FakeNode(tmp_path, FakeKind(a="1", b="2", c="3"))


def _stuck(node: FakeNode) -> str:
    """Leave a transaction of which ``a`` cannot be put back, as when a device is gone for good."""
    name = str(node.transact(step(a="9", b="9"))["transaction"])
    node.kind.refuses.add("a")
    assert node.revert()["state"] == "incomplete"
    return name


def _give_up(node: FakeNode, name: str, *items: str) -> dict[str, object]:
    return node.engine.give_up({"transaction": name, "items": list(items), "who": "me"})[1]


def _lines(node: FakeNode, name: str) -> list[bytes]:
    return (node.home / "txn" / name / "journal.jsonl").read_bytes().splitlines(keepends=True)


def test_what_cannot_be_put_back_is_named_with_its_prior_before_anybody_agrees(node: FakeNode) -> None:
    name = _stuck(node)

    (listed,) = node.journal()

    assert listed["id"] == name
    assert [(one["item"], one["outcome"], one["why"], one["before"], one["found"]) for one in listed["left"]] == [
        ("a", "failed", "a refuses", "1", "9")
    ]


def test_the_way_is_free_afterwards_and_the_journal_keeps_all(node: FakeNode) -> None:
    name = _stuck(node)
    with pytest.raises(Refused, match=f"revert --give-up {name}"):
        node.transact(step(c="5"))
    before = _lines(node, name)

    end = _give_up(node, name, "a")

    assert end["state"] == "given_up"
    assert node.transact(step(c="5"))["state"] == "committed"
    after = _lines(node, name)
    assert after[: len(before)] == before, "what was written is never touched"
    record = json.loads(after[-1])
    assert {key: record[key] for key in ("record", "who", "items")} == {
        "record": "GIVEN_UP",
        "who": "me",
        "items": ["a"],
    }
    assert [one["state"] for one in node.journal()] == ["given_up", "committed"]
    assert not (node.home / "txn" / name / "reserve").exists()


def test_it_stays_given_up_when_the_hardware_comes_back(node: FakeNode) -> None:
    """Somebody may have set it since; whoever wants the prior finds it in the journal."""
    name = _stuck(node)
    _give_up(node, name, "a")
    node.kind.refuses.clear()

    assert node.revert()["state"] == "nothing"
    assert node.kind.values["a"] == "9"
    with pytest.raises(Refused, match="is over"):
        _give_up(node, name, "a")


def test_what_can_be_put_back_by_now_is_put_back(node: FakeNode) -> None:
    name = _stuck(node)
    node.kind.refuses.clear()

    assert _give_up(node, name, "a")["state"] == "reverted"
    assert node.kind.values["a"] == "1"


@pytest.mark.parametrize("agreed", [(), ("b",), ("x",)])
def test_more_than_was_agreed_to_is_not_given_up(node: FakeNode, agreed: tuple[str, ...]) -> None:
    name = _stuck(node)

    with pytest.raises(Refused, match="a would be given up, too") as refused:
        _give_up(node, name, *agreed)

    assert refused.value.kind == "void"
    assert [one["state"] for one in node.journal()] == ["incomplete"]


def test_what_stands_or_is_over_or_is_not_there_cannot_be_given_up(node: FakeNode) -> None:
    """What can be undone is to be undone."""
    with pytest.raises(Refused, match="there is no transaction"):
        _give_up(node, "0001-20260101T000000Z")
    name = str(node.transact(step(a="9"))["transaction"])
    with pytest.raises(Refused, match="is applied: revert it"):
        _give_up(node, name, "a")
    with pytest.raises(Refused, match="there is no transaction"):
        _give_up(node, "../../etc", "a")
    node.revert()
    with pytest.raises(Refused, match="is over"):
        _give_up(node, name, "a")
    assert node.kind.values["a"] == "1"


def test_one_below_it_is_undone_as_ever_and_calls_the_rest_somebody_elses(node: FakeNode) -> None:
    first = str(node.transact(step(a="8", c="8"))["transaction"])
    second = str(node.transact(step(a="9"))["transaction"])
    node.kind.refuses.add("a")
    assert node.revert()["state"] == "incomplete"
    _give_up(node, second, "a")

    assert node.revert()["outcomes"] == {first: {"a": "foreign", "c": "restored"}}


def test_a_power_cut_at_any_byte_of_the_record_leaves_it_incomplete_or_given_up(node: FakeNode) -> None:
    """The record is the only thing that is written: with half of it the same command works again."""
    name = _stuck(node)
    _give_up(node, name, "a")
    *before, record = _lines(node, name)
    path = node.home / "txn" / name / "journal.jsonl"

    for size in range(0, len(record), 7):
        path.write_bytes(b"".join(before) + record[:size])
        assert [one["state"] for one in node.journal()] == ["incomplete"], size
        assert _give_up(node, name, "a")["state"] == "given_up"


def test_a_full_disk_leaves_it_incomplete(node: FakeNode, monkeypatch: pytest.MonkeyPatch) -> None:
    name = _stuck(node)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(journal, "append", full)
        with pytest.raises(Refused):
            _give_up(node, name, "a")

    assert [one["state"] for one in node.journal()] == ["incomplete"]
    assert _give_up(node, name, "a")["state"] == "given_up"


def test_a_damaged_journal_is_left_for_people(node: FakeNode) -> None:
    name = _stuck(node)
    path = node.home / "txn" / name / "journal.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"n":1', b'"n":7', 1))
    damaged = path.read_bytes()

    with pytest.raises(Refused, match="cannot be read") as refused:
        _give_up(node, name, "a")

    assert refused.value.kind == "journal"
    assert path.read_bytes() == damaged


def test_its_journal_outlives_those_that_were_undone(node: FakeNode, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is all that knows what was there before."""
    monkeypatch.setattr(home, "_MOST_CLOSED", 1)
    name = _stuck(node)
    _give_up(node, name, "a")
    for value in ("4", "5", "6"):
        node.transact(step(c=value))
        node.revert()
    node.transact(step(c="7"))

    assert [one["state"] for one in node.journal()] == ["given_up", "reverted", "committed"]


def test_edits_of_others_and_what_is_gone_stay_in_the_list_of_what_was_left(node: FakeNode) -> None:
    """The report of a revert is read once; what it left is so for longer."""
    node.kind.lenient = True
    node.transact(step(a="9", b="9", c="9"))
    node.kind.values["a"] = "5"
    del node.kind.values["b"]
    node.revert()

    (listed,) = node.journal()

    assert {one["item"]: (one["outcome"], one["before"], one["found"]) for one in listed["left"]} == {
        "a": ("foreign", "1", "5"),
        "b": ("gone", "2", None),
    }


def test_a_step_that_this_agent_does_not_know_does_not_say_what_was_there(node: FakeNode) -> None:
    name = str(node.transact(step(a="9"))["transaction"])
    other = FakeNode(node.folder, FakeKind(a="9"))
    other.kind.name = "another"
    assert other.revert()["state"] == "incomplete"

    (listed,) = other.journal()
    (left,) = listed["left"]

    assert (left["why"], left["before"]) == ("this agent does not know such a step", "what this agent does not know")
    assert _give_up(other, name, "a")["state"] == "given_up"
