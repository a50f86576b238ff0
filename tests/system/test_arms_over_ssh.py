"""Hot steps on a node behind a real sshd: set, read back over the wire, and taken back, also after a kill of ours."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.support.arms import arm_plan, hold_settings
from tests.support.sshd import Node, sshd

from sparktune.io.cluster import NodeTarget
from sparktune.io.launching.hold import Hold
from sparktune.io.launching.proc import look_at

pytestmark = [
    pytest.mark.root,  # the agent journals its transactions on this machine
    pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores to tell the arms apart"),
]
_NODE = NodeTarget(name="spark1", host="spark1")


@pytest.fixture(autouse=True)
def _server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with sshd({"spark1": Node()}) as server:
        monkeypatch.setenv("SPARKTUNE_SSH", server.ssh)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(server.folder))
        yield


@pytest.fixture
def pid() -> Iterator[int]:
    """A process to pin, which does nothing."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as child:
        yield child.pid
        child.kill()


def _arms(pid: int) -> dict[str, Any]:
    seen = look_at(pid)
    assert seen is not None
    task = {"pid": pid, "tid": pid, "start_time": seen.start_ticks}
    step = {"node": "spark1", "kind": "affinity", "tasks": [task], "cpus": [max(os.sched_getaffinity(pid))]}
    return {"A": {}, "B": {"steps": [step]}}


async def test_a_thread_is_pinned_in_arm_b_and_free_in_arm_a(tmp_path: Path, pid: int) -> None:
    free, arms = os.sched_getaffinity(pid), _arms(pid)
    hold = Hold(hold_settings(tmp_path, 1, nodes={"spark1": _NODE}), remember=lambda _record: None)
    seen = []
    for arm in "ABA":
        plan = arm_plan("hot", arms, arm)
        await hold.set_arm(arm, plan)
        reading = await hold.read_live(plan)
        assert reading.ok, reading.why
        seen.append(os.sched_getaffinity(pid))
    await hold.release()

    assert seen == [free, {max(free)}, free]
    assert os.sched_getaffinity(pid) == free


async def test_what_a_killed_run_applied_is_undone_over_the_wire(tmp_path: Path, pid: int) -> None:
    """The record alone leads back: another process, later, perhaps on another day."""
    free, records = os.sched_getaffinity(pid), list[Mapping[str, Any]]()
    settings = hold_settings(tmp_path, 1, nodes={"spark1": _NODE})
    await Hold(settings, remember=records.append).set_arm("B", arm_plan("hot", _arms(pid)))
    assert os.sched_getaffinity(pid) != free

    recovered = await Hold.recover(records[-1], settings, remember=records.append)

    assert recovered.done[0].startswith("spark1: undid transaction ")
    assert os.sched_getaffinity(pid) == free
    assert [one["state"] for one in records[-1]["nodes"]] == ["undone"]
