"""However the agent ends, the node is what it was: killed or failing at every call that writes, for every kind of step.

A change that a power cut or a full disk turns into half a change is worse than none. The agent runs as it is shipped,
on a captured tree; what a real kernel and a real systemd do is tested elsewhere.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.steps import sample_steps

from sparktune.io.transport.package import agent_archive

pytestmark = pytest.mark.slow

_ROOT = Path(__file__).parents[3]
_STEPS = sample_steps()
# One item of these is many files of a tree, which are written one like the other.
_MANY = ("irq", "property", "affinity", "threads-main", "container")
_FAILURES = ("full", "full-on", "read-only", "read-only-on")
# Steps that depend on each other's outcome: a folder that the first one makes, a value that two of them write.
_TOGETHER = [
    _STEPS["file-new"],
    {**_STEPS["file-new"], "path": "/etc/systemd/system/new.slice.d/20.conf"},
    _STEPS["value"],
    {**_STEPS["value"], "text": "2"},
    _STEPS["file-gone"],
    _STEPS["file"],
    _STEPS["link"],
]


@pytest.mark.parametrize("name", _STEPS)
def test_killed_anywhere_while_it_is_done_a_step_can_be_undone(name: str, tmp_path: Path) -> None:
    _assert_right(tmp_path, steps=[_STEPS[name]], do="transact", how="kill", every=_every(name))


@pytest.mark.parametrize("name", _STEPS)
def test_killed_anywhere_while_it_is_undone_a_step_can_be_undone_again(name: str, tmp_path: Path) -> None:
    changes = _STEPS[name]["kind"] != "reload" and _STEPS[name].get("do") != "restart"  # those leave no trace in a tree
    _assert_right(tmp_path, steps=[_STEPS[name]], do="revert", how="kill", changes=changes, every=_every(name))


@pytest.mark.parametrize("how", _FAILURES)
def test_a_write_that_fails_leaves_nothing_behind(how: str, tmp_path: Path) -> None:
    """And what the agent answered was true: what it said to be rolled back was so at that moment."""
    steps = [step for name, step in _STEPS.items() if name != "threads-main"]  # it has what affinity left
    _assert_right(tmp_path, steps=steps, do="transact", how=how, every=3)


@pytest.mark.parametrize("do", ["transact", "revert"])
def test_killed_anywhere_several_steps_can_be_undone(do: str, tmp_path: Path) -> None:
    _assert_right(tmp_path, steps=_TOGETHER, do=do, how="kill")


@pytest.mark.parametrize("how", _FAILURES)
def test_a_write_that_fails_while_it_is_undone_can_be_made_up_for(how: str, tmp_path: Path) -> None:
    _assert_right(tmp_path, steps=_TOGETHER, do="revert", how=how)


@pytest.mark.parametrize("killed_at", [30, 50, 70])
def test_recovering_from_a_crash_can_crash_as_well(killed_at: int, tmp_path: Path) -> None:
    _assert_right(tmp_path, steps=_TOGETHER, do="recover", how="kill", killed_at=killed_at)


@pytest.mark.parametrize("how", ["kill", *_FAILURES])
def test_following_a_rule_can_crash(how: str, tmp_path: Path) -> None:
    """A timer does this with nobody there: its next tick comes to the end, and undoing still finds every prior."""
    _assert_right(tmp_path, steps=[_STEPS["threads"]], do="follow", how=how)


@pytest.mark.parametrize("how", ["kill", *_FAILURES])
def test_undoing_a_rule_with_what_followed_can_crash(how: str, tmp_path: Path) -> None:
    _assert_right(tmp_path, steps=[_STEPS["threads"]], do="unfollow", how=how)


def _every(name: str) -> int:
    return 3 if name in _MANY else 1


def _assert_right(folder: Path, **asked: Any) -> None:  # noqa: ANN401 - as the program takes it
    archive = folder / "agent.pyz"
    archive.write_bytes(agent_archive())
    command = (sys.executable, "-m", "tests.support.crash", str(archive), str(folder))
    where = {**os.environ, "PYTHONPATH": f"{archive}:{_ROOT}"}
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=False, env=where)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert found["points"] > 10
