"""Killed anywhere while something is given up, a transaction is incomplete as before, or given up: never lost."""

import os
import shutil
from pathlib import Path

import pytest
from tests.support.crash import Breaker
from tests.support.fake_kind import FakeKind, FakeNode, step

from sparktune.agent.refusal import Refused

pytestmark = pytest.mark.slow

_POINTS = 30  # more than it has


def _stuck(folder: Path) -> tuple[FakeNode, str]:
    """Make a node on which ``a`` of one transaction cannot be put back, and ``b`` is by now."""
    node = FakeNode(folder, FakeKind(a="1", b="2", c="3"))
    name = str(node.transact(step(a="9", b="9"))["transaction"])
    node.kind.refuses |= {"a", "b"}
    assert node.revert()["state"] == "incomplete"
    node.kind.refuses.discard("b")
    return node, name


def _killed(node: FakeNode, name: str, how: str, point: int) -> int:
    """Give up in a process of its own that breaks at a point; return how it ended."""
    child = os.fork()
    if child == 0:
        try:
            Breaker(how, point).install()
            node.engine.give_up({"transaction": name, "items": ["a", "b"], "who": "me"})
        except (Refused, OSError):
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("how", ["kill", "full", "full-on", "read-only", "read-only-on"])
def test_broken_at_any_write_the_same_command_works_again(tmp_path: Path, how: str) -> None:
    """The one record that frees the way is written last; what was there before is in the journal at every moment."""
    start, name = _stuck(tmp_path / "start")
    prior = b'"before":{"a":"1","b":"2"}'
    ends: list[int] = []
    for point in range(1, _POINTS):
        folder = tmp_path / str(point)
        shutil.copytree(start.folder, folder)
        node = FakeNode(folder, start.kind)

        ends.append(_killed(node, name, how, point))

        (listed,) = node.journal()
        assert listed["state"] in {"incomplete", "given_up"}, (point, listed)
        assert prior in (node.home / "txn" / name / "journal.jsonl").read_bytes()
        if listed["state"] == "incomplete":
            assert ends[-1] != 0, point
            end = node.engine.give_up({"transaction": name, "items": ["a", "b"], "who": "me"})[1]
            assert end["state"] == "given_up"
        assert node.transact(step(c="5"))["state"] == "committed"
        shutil.rmtree(folder)
    assert ends[0] != 0, "a break at the first write was noticed"
    assert ends[-1] == 0 or how.endswith("-on"), "the last points lie behind all writes"
