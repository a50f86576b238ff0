"""Steps that are held with no server beside them: moved, read back, moved back; killed at every record, taken back."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.support.host_trees import tree_hash, write_node
from tests.support.killed_steps_hold import step_of

from sparktune.errors import ArmFailed
from sparktune.io.cluster import NodeTarget
from sparktune.io.launching.steps_hold import StepsHold, take_back

_REPOSITORY = Path(__file__).parents[3]


@pytest.fixture
def node(tmp_path: Path) -> NodeTarget:
    """A healthy GB10 as a tree."""
    return write_node(tmp_path / "node")


def _root(node: NodeTarget) -> Path:
    assert node.root is not None
    return node.root


def _cpus(node: NodeTarget) -> str:
    (task,) = step_of(_root(node)).tasks
    text = (_root(node) / f"proc/{task.pid}/task/{task.tid}/status").read_text()
    return next(line.split()[1] for line in text.splitlines() if line.startswith("Cpus_allowed_list"))


async def test_both_arms_are_set_and_the_tree_is_as_it_was(node: NodeTarget) -> None:
    before, first = tree_hash(_root(node)), _cpus(node)
    hold = StepsHold(node, [step_of(_root(node))], "somebody", lambda _record: None)
    seen = []
    for applied in (False, True, True, False):
        assert await hold.set(applied=applied)
        seen.append(_cpus(node))

    assert await hold.release() == ()
    assert seen == [first, "6", "6", first]
    assert tree_hash(_root(node)) == before


async def test_a_thread_that_has_ended_is_told(node: NodeTarget) -> None:
    step = step_of(_root(node))
    gone = replace(step, tasks=(replace(step.tasks[0], start_time=step.tasks[0].start_time + 1),))
    hold = StepsHold(node, [gone], "somebody", lambda _record: None)

    assert not await hold.set(applied=True)


async def test_what_somebody_else_sets_meanwhile_is_no_arm(node: NodeTarget) -> None:
    """Both arms would be the same thread, and their difference nothing: the trial would call moving useless."""
    hold = StepsHold(node, [step_of(_root(node))], "somebody", lambda _record: None)
    assert await hold.set(applied=False)
    (task,) = step_of(_root(node)).tasks
    status = _root(node) / f"proc/{task.pid}/task/{task.tid}/status"
    status.write_text(status.read_text().replace(f"Cpus_allowed_list:\t{_cpus(node)}", "Cpus_allowed_list:\t7"))

    with pytest.raises(ArmFailed, match="has 7, not"):
        await hold.set(applied=False)


async def test_a_cpuset_that_leaves_other_cores_is_noticed(node: NodeTarget) -> None:
    """The kernel leaves out what the cpuset forbids without a word."""
    hold = StepsHold(node, [replace(step_of(_root(node)), cpus=(3,))], "somebody", lambda _record: None)

    with pytest.raises(ArmFailed, match="has 5-9,15-19, not 3"):
        await hold.set(applied=True)


@pytest.mark.parametrize("when", ["before", "after"])
async def test_killed_at_every_record_it_is_taken_back(tmp_path: Path, node: NodeTarget, when: str) -> None:
    before, moved_any = tree_hash(_root(node)), False
    for at in range(1, 10):
        code = _die(tmp_path, at, when)
        if code == 0:
            break
        moved_any = moved_any or _cpus(node) == "6"
        path = tmp_path / "record.json"
        kept: list[Any] = [json.loads(path.read_text()) if path.exists() else {}]

        _done, left = await take_back(kept[-1], "somebody", kept.append)

        assert not left
        assert tree_hash(_root(node)) == before, f"killed at record {at}"
        assert await take_back(kept[-1], "somebody", kept.append) == ((), ())
        path.unlink(missing_ok=True)
    assert moved_any, "it was never killed while the thread was moved"


def _die(folder: Path, at: int, when: str) -> int:
    command = [sys.executable, "-m", "tests.support.killed_steps_hold", str(folder), str(at), when]
    done = subprocess.run(command, cwd=_REPOSITORY, capture_output=True, timeout=100, check=False, env=dict(os.environ))
    assert done.returncode in {0, -9}, done.stderr.decode()
    return done.returncode
