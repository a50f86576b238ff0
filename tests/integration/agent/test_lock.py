"""Two operators at two laptops: one waits, or is told who works on the node; whatever ends a holder frees it."""

import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.agent_command import AgentCommand
from tests.support.steps import sample_steps, tree_state

from sparktune.agent.lock import Lock, holder
from sparktune.agent.refusal import Refused
from sparktune.agent.tree import Tree

_VALUE = sample_steps()["value"]
_HOLDING = """
import sys, time
from sparktune.agent.lock import Lock
from sparktune.agent.tree import Tree
with Lock(Tree(sys.argv[1]), "ann@laptop", "apply", 0):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def _held(tree: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", _HOLDING, str(tree)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        yield child


def test_the_second_one_is_refused_by_the_name_of_the_first(tmp_path: Path) -> None:
    tree = Tree(str(tmp_path))
    with _held(tmp_path) as child:
        with (
            pytest.raises(Refused, match=rf"apply by ann@laptop \(process {child.pid}\) since 20") as refused,
            Lock(tree, "bob", "revert", 0),
        ):
            pass
        assert refused.value.kind == "busy"
        assert "ann@laptop" in holder(tree)
    assert holder(tree) == ""


def test_the_second_one_waits_when_told_to(tmp_path: Path) -> None:
    agent = AgentCommand(tmp_path)
    with _held(agent.tree) as child:
        waiting = subprocess.Popen(
            agent.command("--json", "transact", agent.write_plan(_VALUE, wait_s=100)), stdout=subprocess.PIPE
        )
        assert waiting.poll() is None
        assert child.stdin is not None
        child.stdin.close()
        assert json.loads(waiting.communicate()[0])["state"] == "committed"
    assert agent.value() == "1"


def test_a_holder_that_is_killed_holds_nothing(tmp_path: Path) -> None:
    with _held(tmp_path) as child:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        assert holder(Tree(str(tmp_path))) == ""
        with Lock(Tree(str(tmp_path)), "bob", "revert", 0):
            assert "revert by bob" in holder(Tree(str(tmp_path)))


def test_a_lock_file_that_leads_elsewhere_is_not_followed(tmp_path: Path) -> None:
    """Everybody may write to /run/lock."""
    elsewhere = tmp_path / "precious"
    elsewhere.write_text("keep")
    (tmp_path / "run/lock").mkdir(parents=True)
    path = tmp_path / "run/lock/sparktune.lock"
    path.symlink_to(elsewhere)
    with pytest.raises(Refused), Lock(Tree(str(tmp_path)), "bob", "revert", 0):
        pass
    assert elsewhere.read_text() == "keep"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs another user's file")
def test_a_lock_file_of_another_user_does_not_stand_in_the_way(tmp_path: Path) -> None:
    path = tmp_path / "run/lock/sparktune.lock"
    path.parent.mkdir(parents=True)
    path.touch()
    os.chown(path, 65534, 65534)
    with path.open() as theirs:
        fcntl.flock(theirs, fcntl.LOCK_EX)
        with Lock(Tree(str(tmp_path)), "bob", "revert", 0):
            assert path.stat().st_uid == os.geteuid()


def test_a_full_disk_does_not_keep_the_lock_from_being_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Undoing is what makes room: that its name cannot be written must not stand in its way."""

    def full(*_arguments: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    tree = Tree(str(tmp_path))
    with Lock(tree, "me", "this", 0.0):
        assert holder(tree) == "somebody"
        with pytest.raises(Refused, match="nobody knows whose"), Lock(tree, "you", "that", 0.0):
            pytest.fail("it was held twice")


def test_several_at_once_leave_one_change_and_its_prior(tmp_path: Path) -> None:
    agent = AgentCommand(tmp_path)
    before = tree_state(agent.tree)
    plan = agent.write_plan(_VALUE, wait_s=100)
    children = [subprocess.Popen(agent.command("--json", "transact", plan), stdout=subprocess.PIPE) for _ in range(4)]
    ends = [json.loads(child.communicate()[0]) for child in children]
    assert sorted(end["changed"] for end in ends) == [False, False, False, True]
    agent.run("revert")
    assert tree_state(agent.tree) == before
