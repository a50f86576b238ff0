"""The practice cluster and ``doctor`` as a newcomer meets them: in processes of their own, on folders."""

from pathlib import Path

import pytest
from tests.support.cli import run_sparktune

from sparktune.host.lab.faults import FAULTS


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A practice cluster."""
    folder = tmp_path / "lab"
    done = run_sparktune("lab", "init", str(folder))
    assert done.code == 0, done.err
    return folder


def test_doctor_finds_exactly_what_is_planted(lab: Path) -> None:
    """Each fault and nothing else: a rule that fires on a healthy part would teach people to ignore it."""
    planted = sorted((rule, node or "") for fault in FAULTS for rule, node in fault.findings)

    done = run_sparktune("doctor", "--nodes", f"{lab}/spark1,{lab}/spark2", "--json")

    assert done.code == 3
    assert sorted((found["rule"], found["node"] or "") for found in done.json["findings"]) == planted
    assert [(node["node"], node["answered"]) for node in done.json["nodes"]] == [("spark1", True), ("spark2", True)]


def test_a_node_that_is_mended_is_well(lab: Path) -> None:
    """The guide invites to mend a fault and ask again; then it must be gone."""
    slot = lab / "spark1/sys/class/infiniband/rocep1s0f1/ports/1"
    for folder in ("gids", "gid_attrs/types", "gid_attrs/ndevs"):
        (slot / folder / "3").write_text((slot / folder / "4").read_text())

    done = run_sparktune("doctor", "--root", f"{lab}/spark1", "--json")

    assert "gid-index-empty" not in {found["rule"] for found in done.json["findings"]}


def test_text_starts_with_the_verdict_and_ends_with_facts(lab: Path) -> None:
    done = run_sparktune("doctor", "--nodes", f"{lab}/spark1,{lab}/spark2")

    lines = done.out.splitlines()
    assert lines[0] == "6 errors, 2 warnings, 3 notes on 2 nodes"
    assert lines[2].startswith("ERROR")
    assert any(line.startswith("spark2: GB10, 10 x Cortex-X925 (5-9,15-19)") for line in lines)
    assert "\x1b" not in done.out


def test_nothing_is_overwritten(lab: Path) -> None:
    done = run_sparktune("lab", "init", str(lab))

    assert done.code == 2
    assert "not an empty folder" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--nodes", "no/such"), "no/such is no folder"),
        (("--nodes", "a", "--root", "/"), "two ways to say which nodes"),
        (("--from", ".", "--nodes", "a"), "give one of them"),
        (("--from", "no/such"), "no/such cannot be read"),
    ],
)
def test_what_cannot_be_asked(arguments: tuple[str, ...], message: str) -> None:
    done = run_sparktune("doctor", *arguments)

    assert done.code == 2
    assert message in done.err


def test_an_empty_tree_is_a_node_of_which_nothing_is_known(tmp_path: Path) -> None:
    """No fact is no finding: never an invented one."""
    (tmp_path / "empty").mkdir()

    done = run_sparktune("doctor", "--root", str(tmp_path / "empty"), "--json")

    assert (done.code, done.json["findings"]) == (0, [])
    memory = done.json["facts"]["empty"]["memory"]
    assert (memory["available"], memory["available_why"]) == (None, "not there")


def test_a_node_that_does_not_answer_holds_up_no_other(lab: Path) -> None:
    done = run_sparktune("doctor", "--nodes", f"nowhere.invalid,{lab}/spark2", "--json")

    first, second = done.json["nodes"]
    assert done.code == 3
    assert (first["node"], first["answered"]) == ("nowhere.invalid", False)
    assert first["error"].startswith("nowhere.invalid")
    assert second == {"node": "spark2", "answered": True}
    assert list(done.json["facts"]) == ["spark2"]


def test_no_answer_at_all_is_a_failure() -> None:
    done = run_sparktune("doctor", "--nodes", "nowhere.invalid")

    assert done.code == 1
    assert done.out.startswith("no answer from 1 node\n\nNO ANSWER  nowhere.invalid\n")


def test_the_nodes_of_the_file_are_meant_unless_others_are_named(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (lab / "sparktune.yaml").write_text("nodes: [{name: first, host: ./spark1}, {name: second, host: ./spark2}]\n")
    monkeypatch.chdir(lab / "spark1")

    every, one = (run_sparktune("doctor", *arguments, "--json") for arguments in ((), ("--nodes", "second")))

    assert [node["node"] for node in every.json["nodes"]] == ["first", "second"]
    assert [node["node"] for node in one.json["nodes"]] == ["second"]


def test_loose_files_of_a_report(tmp_path: Path) -> None:
    (tmp_path / "meminfo.txt").write_text("MemAvailable: 1048576 kB\n")
    (tmp_path / "holiday.jpg").write_text("x")

    done, quiet = (run_sparktune("doctor", "--from", str(tmp_path), *more) for more in ((), ("--quiet",)))

    assert done.code == 3
    assert "memory-low" in done.out
    assert "note: holiday.jpg is left aside" in done.err
    assert quiet.err == ""
