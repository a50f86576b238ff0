"""What goes wrong while something is taken back: it is said, tried again, and never taken for done."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.arms import arm_plan, hold_settings, living, server_command
from tests.support.host_trees import tree_hash, write_node

from sparktune.agent.lock import Lock
from sparktune.agent.tree import Tree
from sparktune.errors import ArmFailed, NodeBusy, NodeUnreachable, SparktuneError
from sparktune.io.cluster import NodeTarget
from sparktune.io.http.address import parse_address
from sparktune.io.launching.address import answers
from sparktune.io.launching.ending import Mine
from sparktune.io.launching.hold import Hold
from sparktune.io.launching.proc import Seen, all_seen, listening_pids
from sparktune.io.transport.session import NodeSession

_ARMS = {"A": {}, "B": {"steps": [{"kind": "value", "path": "/proc/sys/vm/swappiness", "text": "7"}]}}


@pytest.fixture
def node(tmp_path: Path) -> NodeTarget:
    """A healthy GB10 as a tree."""
    return write_node(tmp_path / "node")


def _hold(tmp_path: Path, node: NodeTarget, **changes: Any) -> Hold:  # noqa: ANN401 - fields of the settings
    return Hold(hold_settings(tmp_path, 1, nodes={"": node}, **changes), remember=lambda _record: None)


def _hash(node: NodeTarget) -> str:
    assert node.root is not None
    return tree_hash(node.root)


async def test_a_server_that_escapes_is_not_taken_for_gone(tmp_path: Path, port: int) -> None:
    """A container, say: nothing of ours is left, and something answers. The next arm must not be measured there."""
    escapes = (
        f"import subprocess, signal; subprocess.Popen({server_command(port)!r}, env={{}}, start_new_session=True);"
        "signal.pause()"
    )
    arms = {"A": {"command": ["x"]}, "B": {"command": [sys.executable, "-c", escapes]}}
    hold = Hold(hold_settings(tmp_path, port, kill_s=0.3), remember=lambda _record: None)
    await hold.set_arm("B", arm_plan("command", arms))
    (pid,) = listening_pids(port, all_seen())
    try:
        with pytest.raises(ArmFailed, match=rf"although all that was started has ended \(pid {pid}, ") as failed:
            await hold.release()
        with pytest.raises(ArmFailed, match=f"something answers at 127.0.0.1:{port} already"):
            await hold.set_arm("B", arm_plan("command", arms))
        assert "container" in failed.value.hint
        assert not living(tmp_path)
        assert await answers(parse_address(f"http://127.0.0.1:{port}")), "what is not ours is not ended"
    finally:
        os.kill(pid, signal.SIGKILL)


async def test_a_process_that_does_not_end_is_said_and_tried_again(
    tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that waits for a device cannot be killed; the next server would find its memory taken."""
    arms = {"A": {"command": ["x"]}, "B": {"command": server_command(port)}}
    settings = hold_settings(tmp_path, port)
    hold = Hold(settings, remember=lambda _record: None)
    await hold.set_arm("B", arm_plan("command", arms))

    async def stuck(mine: Mine, **_limits: float) -> tuple[tuple[Seen, ...], bool]:
        return tuple(one for one in all_seen() if one.pid == mine.pid), True

    with monkeypatch.context() as patched:
        patched.setattr("sparktune.io.launching.programs.end_all", stuck)
        with pytest.raises(ArmFailed, match="started for arm B, cannot be ended"):
            await hold.release()
        recovered = await Hold.recover(hold.state(), settings, remember=lambda _record: None)
    assert "cannot be ended" in recovered.left[0]
    assert hold.state()["processes"][0]["state"] == "running"

    await hold.release()
    assert not living(tmp_path)


@pytest.mark.parametrize("sent", [True, False], ids=["after it was done", "before it was sent"])
async def test_a_broken_answer_is_taken_back(
    tmp_path: Path, node: NodeTarget, monkeypatch: pytest.MonkeyPatch, *, sent: bool
) -> None:
    """Nobody knows how far the node has come; its journal does."""
    before, hold, real = _hash(node), _hold(tmp_path, node), NodeSession.transact

    async def broken(self: NodeSession, request: Any) -> Any:  # noqa: ANN401 - as the real one
        if sent:
            await real(self, request)
        message = "node: the way broke"
        raise NodeUnreachable(message)

    monkeypatch.setattr(NodeSession, "transact", broken)
    with pytest.raises(NodeUnreachable, match="the way broke"):
        await hold.set_arm("B", arm_plan("hot", _ARMS))

    assert _hash(node) == before
    assert [one["state"] for one in hold.state()["nodes"]] == ["undone" if sent else "nothing"]


async def test_a_way_that_stays_broken_leaves_it_in_the_record(
    tmp_path: Path, node: NodeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What could not be undone now is undone by the next one who has the record."""
    before, hold = _hash(node), _hold(tmp_path, node)
    await hold.set_arm("B", arm_plan("hot", _ARMS))

    async def broken(*_arguments: Any, **_options: Any) -> Any:  # noqa: ANN401 - as the real one
        message = "node: no way there"
        raise NodeUnreachable(message)

    settings = hold_settings(tmp_path, 1, nodes={"": node})
    with monkeypatch.context() as patched:
        patched.setattr(NodeSession, "revert", broken)
        with pytest.raises(NodeUnreachable):
            await hold.release()
        recovered = await Hold.recover(hold.state(), settings, remember=lambda _record: None)
    assert recovered.left == ("node: no way there",)
    assert [one["state"] for one in hold.state()["nodes"]] == ["applied"]

    recovered = await Hold.recover(hold.state(), settings, remember=lambda _record: None)

    assert not recovered.left
    assert recovered.done[0].startswith("local: undid transaction ")
    assert _hash(node) == before


async def test_a_node_at_work_refuses_and_nothing_is_held(
    tmp_path: Path, node: NodeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparktune.io.launching.nodes._WAIT_S", 0.0)
    before, hold = _hash(node), _hold(tmp_path, node)
    with Lock(Tree(str(node.root)), "somebody", "host apply", 0.0), pytest.raises(NodeBusy, match="somebody"):
        await hold.set_arm("B", arm_plan("hot", _ARMS))
    assert _hash(node) == before
    assert [one["state"] for one in hold.state()["nodes"]] == ["nothing"]


async def test_what_cannot_be_undone_stays_in_the_record(tmp_path: Path, node: NodeTarget) -> None:
    """Another transaction came on top: undoing in between would leave neither."""
    assert node.root is not None
    hold, other = _hold(tmp_path, node), _hold(tmp_path, node)
    steps: Callable[[str], Any] = lambda text: {"A": {}, "B": {"steps": [{**_ARMS["B"]["steps"][0], "text": text}]}}  # noqa: E731
    await hold.set_arm("B", arm_plan("hot", steps("7")))
    await other.set_arm("B", arm_plan("hot", steps("8")))

    with pytest.raises(SparktuneError, match="has changed /proc/sys/vm/swappiness after"):
        await hold.release()
    assert [one["state"] for one in hold.state()["nodes"]] == ["applied"]

    await other.release()
    await hold.release()
    assert [one["state"] for one in hold.state()["nodes"]] == ["undone"]
