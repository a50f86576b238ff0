"""The folder for Ansible: what it refuses to write, and that its agent carries its plan out once, and takes it back."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.host_trees import tree_hash, write_node
from tests.support.odd_ssh import odd_ssh

from sparktune.errors import ExitCode

_ODD = Path(__file__).parents[2] / "support" / "odd_ssh.py"


@pytest.fixture(name="tree")
def _tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make a node that is reached by ssh and is a tree."""
    tree = tmp_path / "tree"
    write_node(tree)
    odd_ssh(tmp_path / "orders", "spark", root=str(tree))
    monkeypatch.setenv("SPARKTUNE_SSH", f"{sys.executable} {_ODD} {tmp_path / 'orders'}")
    return tree


def _export(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = (sys.executable, "-m", "sparktune", "host", "export", "--quiet", "--ansible", str(folder), *words)
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _agent(folder: Path, tree: Path, *words: str) -> tuple[int, dict[str, Any]]:
    command = (sys.executable, "-I", str(folder / "agent.pyz"), "--json", "--root", str(tree), *words)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout)


def test_the_agent_of_the_folder_carries_the_plan_out_once_and_takes_it_back(tree: Path, tmp_path: Path) -> None:
    """What the playbooks rely on, without Ansible: ``changed`` says whether something was changed."""
    before = tree_hash(tree)
    done = _export(tmp_path / "out", "--nodes", "spark", "--allow-slow")
    assert done.returncode == ExitCode.DONE, done.stderr
    assert "ansible-playbook" in done.stderr
    assert tree_hash(tree) == before, "exporting changes nothing"
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"agent.pyz", "apply.yml", "inventory.yml", "plans", "revert.yml"}
    written = (tmp_path / "out", *(tmp_path / "out").rglob("*"))
    modes = {(path.is_dir(), path.stat().st_mode & 0o777) for path in written}
    assert modes == {(True, 0o700), (False, 0o600)}, "plans have whole compose files in them"
    plan = str(tmp_path / "out/plans/spark.json")

    code, first = _agent(tmp_path / "out", tree, "transact", plan)
    assert (code, first["state"], first["changed"]) == (0, "committed", True), first
    code, second = _agent(tmp_path / "out", tree, "transact", plan)
    assert (code, second["state"], second["changed"]) == (0, "committed", False), second

    code, reverted = _agent(tmp_path / "out", tree, "revert")
    assert (code, reverted["state"]) == (0, "reverted")
    assert tree_hash(tree) == before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--nodes", "spark", "--isolate-now"), "a playbook is run at any"),
        (("--nodes", "spark", "--mode", "classic", "--move-running"), "a playbook is run at any"),
        (("--nodes", "./tree"), "is a captured tree, which Ansible cannot reach"),
        (("--nodes", "fe80::1"), "cannot be a name in an inventory"),
    ],
)
def test_what_a_playbook_cannot_do_is_refused(tree: Path, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    given = [str(tree) if word == "./tree" else word for word in words]

    done = _export(tmp_path / "out", *given)

    assert done.returncode == ExitCode.USAGE
    assert says in done.stderr
    assert "hint: " in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("tree")
def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine").write_text("mine")

    done = _export(tmp_path / "out", "--nodes", "spark")

    assert done.returncode == ExitCode.USAGE
    assert "not an empty folder" in done.stderr
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine"]


@pytest.mark.usefixtures("tree")
def test_an_empty_folder_may_be_there_and_a_half_written_one_never_is(tmp_path: Path) -> None:
    """A playbook that lacks the plan of a node would be found out when it runs."""
    for above, code in (("empty", ExitCode.DONE), ("file", ExitCode.USAGE)):
        (tmp_path / above).mkdir() if above == "empty" else (tmp_path / above).write_text("mine")
        folder = tmp_path / above / ("" if above == "empty" else "out")

        assert _export(folder, "--nodes", "spark", "--allow-slow").returncode == code

    assert (tmp_path / "empty/plans/spark.json").is_file()
    assert (tmp_path / "file").read_text() == "mine"
    assert not list(tmp_path.glob(".sparktune-*"))


def test_what_stands_against_a_plan_stands_against_its_export(tree: Path, tmp_path: Path) -> None:
    """A playbook would carry it out on every node without asking."""
    for what in ("regs/identification/midr_el1", "cpu_capacity", "cpufreq/cpuinfo_max_freq"):
        for path in (tree / "sys/devices/system/cpu").glob(f"cpu*/{what}"):
            path.unlink()
    (tree / "proc/cpuinfo").unlink(missing_ok=True)

    done = _export(tmp_path / "out", "--nodes", "spark", "--allow-slow")

    assert done.returncode == ExitCode.FAILED
    assert "spark cannot be changed as asked" in done.stderr
    assert not (tmp_path / "out").exists()
