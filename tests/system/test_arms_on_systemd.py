"""Properties of units as arms, on a real systemd: what is read back counts, and what is not enforced is refused."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.arms import arm_plan, hold_settings
from tests.support.nspawn import BootedNode

from sparktune.errors import ArmFailed
from sparktune.io.cluster import NodeTarget
from sparktune.io.launching.hold import Hold

pytestmark = pytest.mark.root
_ENFORCED = Path("/sys/fs/cgroup/cgroup.controllers").exists()  # the node has this machine's kernel


def _arms(node: BootedNode, name: str, value: str) -> dict[str, Any]:
    step = {"node": node.name, "kind": "property", "unit": "system.slice", "name": name, "value": value}
    return {"A": {}, "B": {"steps": [step]}}


def _hold(tmp_path: Path, node: BootedNode) -> Hold:
    target = NodeTarget(name=node.name, host=node.name)
    return Hold(hold_settings(tmp_path, 1, nodes={node.name: target}), remember=lambda _record: None)


async def _visits(hold: Hold, node: BootedNode, name: str, value: str) -> list[str]:
    """Return what was read in ABBA."""
    found = []
    for arm in "ABBA":
        plan = arm_plan("hot", _arms(node, name, value), arm)
        await hold.set_arm(arm, plan)
        reading = await hold.read_live(plan)
        assert reading.ok, reading.why
        found.append(reading.values[f"{node.name}: system.slice {name}"])
    await hold.release()
    return found


async def test_a_property_is_set_in_arm_b_and_as_it_was_in_arm_a(tmp_path: Path, node: BootedNode) -> None:
    found = await _visits(_hold(tmp_path, node), node, "CPUWeight", "77")

    assert found[1:3] == ["77", "77"]
    assert found[0] == found[3] != "77"


async def test_a_slice_counts_by_what_its_control_group_enforces(tmp_path: Path, node: BootedNode) -> None:
    """A cpuset that systemd takes and nothing enforces would make two arms of one."""
    hold = _hold(tmp_path, node)
    if _ENFORCED:
        found = await _visits(hold, node, "AllowedCPUs", "0")
        assert found[1:3] == ["0", "0"]
        assert found[0] == found[3] != "0"
        return
    with pytest.raises(ArmFailed, match="nothing enforces it: control groups of version 1; all was taken back"):
        await hold.set_arm("B", arm_plan("hot", _arms(node, "AllowedCPUs", "0")))
    assert [one["state"] for one in hold.state()["nodes"]] == ["nothing"]
