"""A journal that can be read after any crash, and that does not call damage an end."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.support.fake_kind import FakeKind, FakeNode, step

from sparktune.agent.journal import Journal, read_records
from sparktune.agent.refusal import Refused


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    opened = Journal(str(tmp_path))
    opened.write("BEGIN", steps=[])
    opened.write("COMMIT", at=1)
    opened.close()
    return tmp_path / "journal.jsonl"


def test_half_a_line_at_the_end_was_not_written(journal: Path) -> None:
    whole = journal.read_bytes()
    for cut in range(1, len(whole.splitlines(keepends=True)[1])):
        journal.write_bytes(whole[:-cut])
        records, damage = read_records(str(journal.parent))
        assert ([record["record"] for record in records], damage) == (["BEGIN"], "")


def test_what_is_written_next_does_not_stand_behind_half_a_line(journal: Path) -> None:
    journal.write_bytes(journal.read_bytes()[:-5])
    opened = Journal(str(journal.parent))
    opened.write("ABORT", at=2)
    opened.close()
    records, damage = read_records(str(journal.parent))
    assert ([record["record"] for record in records], damage) == (["BEGIN", "ABORT"], "")


@pytest.mark.parametrize("broken", [b'{"n":0,"rec\n', b"\0\0\0\n", b'{"n":5,"record":"BEGIN"}\n', b"[]\n"])
def test_a_line_that_is_wrong_before_the_end_is_damage(journal: Path, broken: bytes) -> None:
    journal.write_bytes(broken + journal.read_bytes().splitlines(keepends=True)[1])
    records, damage = read_records(str(journal.parent))
    assert records == []
    assert "line 1 of" in damage


def test_a_record_that_is_missing_is_damage(journal: Path) -> None:
    """Each record's number is its line: a prior that got lost must not look like a step that was never done."""
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(lines[0] + lines[1].replace(b'"n":1', b'"n":2'))
    assert "line 2 of" in read_records(str(journal.parent))[1]


def test_nothing_is_done_on_top_of_a_damaged_journal_and_it_is_not_called_undone(tmp_path: Path) -> None:
    node = FakeNode(tmp_path, FakeKind(a="1"))
    name = node.transact(step(a="9"))["transaction"]
    path = node.home / "txn" / name / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"x\n", *lines[2:]]))

    parts, end = node.engine.revert({})

    assert end["state"] == "incomplete"
    assert "line 2 of" in parts[0]["why"]
    assert node.journal()[0]["state"] == "incomplete"
    with pytest.raises(Refused, match="line 2 of") as refused:
        node.transact(step(a="8"))
    assert refused.value.kind == "journal"
    assert "give-up" not in str(refused.value), "nothing can be written into it"
    assert node.kind.values == {"a": "9"}


def test_on_a_full_disk_the_reserve_makes_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(str(tmp_path))
    journal.reserve(100_000)
    assert (tmp_path / "reserve").stat().st_size == 100_000
    write = os.write

    def full(handle: int, data: Any) -> int:  # noqa: ANN401 - as os.write takes it
        if (tmp_path / "reserve").exists():
            write(handle, bytes(data)[:3])  # a full disk takes a part of it
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(handle, data)

    monkeypatch.setattr(os, "write", full)
    journal.write("BEGIN", steps=[])
    journal.close()

    records, damage = read_records(str(tmp_path))
    assert ([record["record"] for record in records], damage) == (["BEGIN"], "")


def test_the_reserve_goes_with_the_transaction(tmp_path: Path) -> None:
    node = FakeNode(tmp_path, FakeKind(a="1"))
    name = node.transact(step(a="9"))["transaction"]
    reserve = node.home / "txn" / name / "reserve"
    assert reserve.stat().st_size >= 256 * 1024
    node.revert()
    assert not reserve.exists()


def test_a_folder_without_a_journal_never_began(tmp_path: Path) -> None:
    node = FakeNode(tmp_path, FakeKind(a="1"))
    empty = node.home / "txn" / "0001-20260101T000000Z"
    empty.mkdir(parents=True)
    assert node.journal() == []
    node.transact(step(a="9"))
    assert not empty.exists()
    assert len(node.journal()) == 1


def test_of_many_transactions_that_are_over_the_oldest_are_forgotten(tmp_path: Path) -> None:
    node = FakeNode(tmp_path, FakeKind(a="1"))
    for _ in range(103):
        node.transact(step(a="9"))
        node.revert()
    node.transact(step(a="9"))
    names = [one["id"] for one in node.journal()]
    assert len(names) == 101
    assert names[-1].startswith("0104-")


def _with_record(path: Path, number: int, **fields: Any) -> None:  # noqa: ANN401
    lines = path.read_bytes().splitlines(keepends=True)
    lines[number] = json.dumps({**json.loads(lines[number]), **fields}).encode() + b"\n"
    path.write_bytes(b"".join(lines))


def test_a_first_line_that_cannot_be_read_is_not_a_transaction_that_never_began(tmp_path: Path) -> None:
    """Such a folder would be removed with all that was there before; and "nothing to do" would be a lie."""
    node = FakeNode(tmp_path, FakeKind(a="1"))
    name = node.transact(step(a="9"))["transaction"]
    path = node.home / "txn" / name / "journal.jsonl"
    damaged = b"x" + path.read_bytes()
    path.write_bytes(damaged)

    assert [one["state"] for one in node.journal()] == ["incomplete"]
    assert node.revert()["state"] == "incomplete"
    with pytest.raises(Refused, match="line 1 of"):
        node.transact(step(a="8"))
    with pytest.raises(Refused, match="line 1 of"):
        node.engine.reapply({})
    assert path.read_bytes() == damaged


@pytest.mark.parametrize(
    ("number", "fields"),
    [
        (0, {"record": "DONE"}),
        (0, {"steps": "a text"}),
        (0, {"steps": [1]}),
        (0, {"at": "yesterday"}),
        (0, {"boot_id": None}),
        (0, {"confirm_within_s": "x", "confirm_by_boottime_ns": "x"}),
        (0, {"profile": [1]}),
        (1, {"before": ["a"]}),
        (1, {"step": -1}),
        (1, {"step": 99}),
        (1, {"step": {}}),
        (2, {"step": 1}),
        (2, {"after": [1]}),
        (2, {"items": {"a": "changed"}}),
        (2, {"record": "of a later version"}),
        (2, {"record": 7}),
        (3, {"at": None}),
    ],
)
def test_a_record_that_makes_no_sense_is_damage_and_nothing_breaks_on_it(
    tmp_path: Path, number: int, fields: dict[str, Any]
) -> None:
    """The others' journals are still read, and whoever asks is told."""
    node = FakeNode(tmp_path, FakeKind(a="1", b="2"))
    node.transact(step(b="8"))
    name = node.transact(step(a="9"))["transaction"]
    _with_record(node.home / "txn" / name / "journal.jsonl", number, **fields)

    assert [one["state"] for one in node.journal()] == ["committed", "incomplete"]
    assert node.revert()["states"] == ["incomplete", "reverted"]
    assert node.kind.values == {"a": "9", "b": "2"}
    with pytest.raises(Refused, match=f"record {number} of"):
        node.transact(step(a="8"))


def test_a_line_that_nests_too_deep_is_damage(journal: Path) -> None:
    journal.write_bytes(b"[" * 200_000 + b"\n" + journal.read_bytes())
    assert "line 1 of" in read_records(str(journal.parent))[1]


def test_a_damaged_journal_is_not_cut_off(journal: Path) -> None:
    damaged = journal.read_bytes() + b"x\nx\n"
    journal.write_bytes(damaged)
    with pytest.raises(OSError, match="line 3 of"):
        Journal(str(journal.parent))
    assert journal.read_bytes() == damaged
