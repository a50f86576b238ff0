"""What a restore has touched survives its process: a record that is lost is a service that nobody takes back."""

import stat
from pathlib import Path

import msgspec
import pytest

from sparktune.errors import StoreError, UsageError
from sparktune.io.restores import RestoreFolder, RestoreRecord, left_restores, restore_folder
from sparktune.model.drift import ServicePlace

_RECORD = RestoreRecord(
    key="LIMIT",
    service="house",
    launcher="compose",
    where=({"node": "", "service": "vllm"},),
    endpoint="http://localhost:8000/v1",
    value={"env": {"LIMIT": "2"}},
    held={"standing": [1]},
)


def test_a_record_is_read_as_it_was_kept_and_is_nobody_elses(tmp_path: Path) -> None:
    folder = RestoreFolder(tmp_path)
    folder.remember(_RECORD)
    assert RestoreFolder(tmp_path).read() == _RECORD
    mode = stat.S_IMODE((tmp_path / "record.json").stat().st_mode)
    assert mode & 0o077 == 0, "it names files, variables and values"


def test_the_last_record_counts_and_none_ends_it(tmp_path: Path) -> None:
    folder = RestoreFolder(tmp_path)
    later = msgspec.structs.replace(_RECORD, held={})
    folder.remember(_RECORD)
    folder.remember(later)
    assert folder.read() == later
    folder.remember(None)
    folder.remember(None)
    assert folder.read() is None


def test_nothing_is_there_before_it_is_needed(tmp_path: Path) -> None:
    assert RestoreFolder(tmp_path / "none").read() is None
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("text", ["", "{", '{"key": 1}', "[]"])
def test_a_record_that_is_none_is_not_taken_for_nothing(tmp_path: Path, text: str) -> None:
    """What stands is not known then: to begin on top of it would lose the way back."""
    (tmp_path / "record.json").write_text(text)
    with pytest.raises(UsageError, match=r"record\.json cannot be read"):
        RestoreFolder(tmp_path).read()


def test_two_do_not_work_on_one_service(tmp_path: Path) -> None:
    with RestoreFolder(tmp_path / "one").owned():
        with pytest.raises(UsageError), RestoreFolder(tmp_path / "one").owned():
            pytest.fail("both are at it")
        with RestoreFolder(tmp_path / "other").owned():
            pass
    with RestoreFolder(tmp_path / "one").owned():
        pass


def test_a_service_is_known_by_name_address_and_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKTUNE_DATA", str(tmp_path))
    part = {"node": "", "service": "vllm"}
    same = [restore_folder("a", "http://x:1", ({**part},)), restore_folder("a", "http://x:1", (dict(part),))]
    others = [
        restore_folder("b", "http://x:1", (part,)),
        restore_folder("a", "http://x:2", (part,)),
        restore_folder("a", "http://x:1", ({**part, "node": "spark2"},)),
    ]
    assert same[0].logs == same[1].logs
    assert len({one.logs for one in (same[0], *others)}) == 1 + len(others)
    assert same[0].logs.is_relative_to(tmp_path)


def _place(name: str = "house", endpoint: str = _RECORD.endpoint, node: str = "") -> ServicePlace:
    where = ({"node": node, "service": "vllm", "log": "x"},)
    return ServicePlace(name=name, endpoint=endpoint, launcher="compose", where=where)


@pytest.mark.parametrize(
    ("place", "is_of"),
    [
        (_place(), True),
        (_place(endpoint="http://localhost:9000/v1"), True),
        (_place(node="spark2"), True),
        (_place(endpoint="http://localhost:9000/v1", node="spark2"), False),  # another folder's, of the same name
        (_place(name="other"), False),
    ],
)
def test_a_record_is_known_when_the_file_says_another_place_since(place: ServicePlace, *, is_of: bool) -> None:
    """After a kill people edit sparktune.yaml first: that must not hide the way back."""
    assert _RECORD.is_of(place) is is_of


def test_what_is_left_of_any_service_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKTUNE_DATA", str(tmp_path))
    assert list(left_restores()) == []
    part = {"node": "", "service": "vllm"}
    folder, ended, broken = (restore_folder(name, "http://x:1", (part,)) for name in ("house", "b", "c"))
    with folder.owned(), ended.owned(), broken.owned():
        folder.remember(_RECORD)
        broken.logs.with_name("record.json").write_text("{")
        (left,) = list(left_restores())
        assert (left[1], left[0].is_owned()) == (_RECORD, True)
    assert not left[0].is_owned()
    assert not RestoreFolder(tmp_path / "nowhere").is_owned()


def test_what_cannot_be_kept_is_a_fault_of_the_store(tmp_path: Path) -> None:
    """As in an experiment, what is held is then brought back all the same: that goes by the kind of the error."""
    with pytest.raises(StoreError, match=r"what a restore touches cannot be kept: .*record\.json cannot be written"):
        RestoreFolder(tmp_path / "nowhere").remember(_RECORD)
    (tmp_path / "record.json").mkdir()
    with pytest.raises(StoreError, match=r"has ended cannot be removed: .*record\.json") as caught:
        RestoreFolder(tmp_path).remember(None)
    assert "by hand" in caught.value.hint
