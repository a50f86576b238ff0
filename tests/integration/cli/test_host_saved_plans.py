"""Plans of ``sparktune host`` that are saved: carried out as they were shown, or not at all."""

import json
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune
from tests.support.practice import run_host, tree_digest


def test_a_saved_plan_is_carried_out_as_it_was_shown(lab: Path, tmp_path: Path) -> None:
    file, root = tmp_path / "plan.json", ("--root", f"{lab}/spark1")
    saved = run_sparktune("host", "plan", *root, "--allow-slow", "--save", str(file))

    applied = run_sparktune("host", "apply", *root, "--plan", str(file), "--yes", "--json")

    assert saved.err == f"saved {file}\n"
    assert f"next: sparktune host apply --root {lab}/spark1 --plan {file}\n" in saved.out
    assert saved.out.count("sparktune host apply") == 1, "one next command, and the right one"
    assert applied.json["nodes"][0]["state"] == "applied"


def test_a_script_that_saves_a_plan_is_told_the_command_beside_its_json(lab: Path, tmp_path: Path) -> None:
    file, root = tmp_path / "plan.json", ("--root", f"{lab}/spark1")

    saved = run_sparktune("host", "plan", *root, "--allow-slow", "--save", str(file), "--json")

    assert f"carry it out with: sparktune host apply {' '.join(root)} --plan {file}\n" in saved.err
    assert saved.json["nodes"][0]["steps"]


def test_a_plan_that_is_no_longer_true_changes_nothing(lab: Path, tmp_path: Path) -> None:
    """It was shown to somebody as "from 60"; it must not be carried out on what they never saw."""
    file, root = tmp_path / "plan.json", ("--root", f"{lab}/spark1")
    run_sparktune("host", "plan", *root, "--allow-slow", "--save", str(file))
    (lab / "spark1/proc/sys/vm/swappiness").write_text("33\n")
    before = tree_digest(lab / "spark1")

    applied = run_sparktune("host", "apply", *root, "--plan", str(file), "--yes")

    assert applied.code == 1
    assert "spark1: untouched" in applied.out
    assert tree_digest(lab / "spark1") == before


@pytest.mark.parametrize(("on_failure", "first"), [("keep", "applied"), ("revert", "reverted")])
def test_when_the_second_node_fails_the_first_is_what_was_chosen(
    lab: Path, tmp_path: Path, on_failure: str, first: str
) -> None:
    """Each node's line says what that node is; nobody has to guess what became of the other."""
    roots, file = ("--root", f"{lab}/spark1", "--root", f"{lab}/spark2"), tmp_path / "plan.json"
    before = tree_digest(lab / "spark1")
    run_sparktune("host", "plan", *roots, "--allow-slow", "--save", str(file))
    (lab / "spark2/proc/sys/vm/swappiness").write_text("33\n")

    arguments = ("apply", *roots, "--plan", str(file), "--on-failure", on_failure, "--yes", "--json")
    done = run_sparktune("host", *arguments)

    assert done.code == 1
    assert [node["state"] for node in done.json["nodes"]] == [first, "untouched"]
    assert [node["error"] is None for node in done.json["nodes"]] == [True, False]
    assert (tree_digest(lab / "spark1") == before) is (on_failure == "revert")


def test_a_plan_that_cannot_be_carried_out_is_not_kept(lab: Path, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"

    done = run_host(lab, "plan", "--save", str(file))

    assert done.code == 3
    assert "was not written" in done.err
    assert not file.exists()


def test_a_plan_for_other_nodes(lab: Path, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    run_sparktune("host", "plan", "--root", f"{lab}/spark1", "--allow-slow", "--save", str(file))

    done = run_sparktune("host", "apply", "--root", f"{lab}/spark2", "--plan", str(file), "--yes")

    assert done.code == 2
    assert "has plans for spark1, and spark2 are named" in done.err


def test_a_file_without_plans(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    file.write_text('{"schema": 1, "sparktune": "0", "plans": []}')

    done = run_sparktune("host", "apply", "--plan", str(file), "--yes")

    assert (done.code, f"{file} has no plans" in done.err) == (2, True)


def test_an_edited_plan_is_refused(lab: Path, tmp_path: Path) -> None:
    """Nobody has been shown what it would do."""
    file = tmp_path / "plan.json"
    root = ("--root", f"{lab}/spark1")
    run_sparktune("host", "plan", *root, "--allow-slow", "--save", str(file))
    content = json.loads(file.read_text())
    content["plans"][0]["steps"][0]["step"]["value"] = "0-19"
    file.write_text(json.dumps(content))

    done = run_sparktune("host", "apply", *root, "--plan", str(file), "--yes")

    assert done.code == 2
    assert "hint: make it again" in done.err
