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
