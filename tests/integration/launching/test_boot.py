"""An arm that counts at a boot, on a tree in the place of this machine: written, waiting, gone on with, taken back."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.support.arms import arm_plan, bystander, hold_settings, server_command
from tests.support.ports import free_port

from sparktune.errors import BootDue
from sparktune.io.cluster import NodeTarget
from sparktune.io.launching.hold import Hold
from sparktune.io.launching.proc import boot_id

_ARMS = {"A": {}, "B": {"steps": [{"kind": "file", "path": "/etc/x.conf", "text": "new"}]}}


def _plan(port: int, arm: str) -> Any:  # noqa: ANN401 - an ArmPlan
    live = {"http": "/props", "keys": "total_slots", "A": 1, "B": 1}
    del port
    return arm_plan("boot", _ARMS, arm, live)


async def test_it_stays_written_and_another_process_goes_on_with_it(tmp_path: Path) -> None:
    port, records = free_port(), list[Mapping[str, Any]]()
    root = tmp_path / "root"
    (root / "etc").mkdir(parents=True)
    settings = hold_settings(tmp_path, port, nodes={"": NodeTarget(name="local", root=root)})
    plan = _plan(port, "B")
    with pytest.raises(BootDue):
        await Hold(settings, remember=records.append).set_arm("B", plan)
    assert (root / "etc/x.conf").read_text() == "new"
    assert (records[-1]["arm"], records[-1]["booting"]) == ("B", boot_id())

    hold = Hold(settings, remember=records.append, record=records[-1])
    async with bystander(*server_command(port)):  # it has come up by itself
        await hold.after_boot(plan)
        assert records[-1]["booting"] == ""
        reading = await hold.read_live(plan)
        assert reading.ok, reading.why
        assert "sha256" in reading.values["/etc/x.conf"]
        await hold.release()

    assert not (root / "etc/x.conf").exists()
    assert records[-1]["arm"] == ""


async def test_one_that_waits_can_be_taken_back_without_a_boot(tmp_path: Path) -> None:
    records = list[Mapping[str, Any]]()
    root = tmp_path / "root"
    (root / "etc").mkdir(parents=True)
    settings = hold_settings(tmp_path, free_port(), nodes={"": NodeTarget(name="local", root=root)})
    with pytest.raises(BootDue):
        await Hold(settings, remember=records.append).set_arm("B", _plan(1, "B"))

    recovered = await Hold.recover(records[-1], settings, remember=records.append)

    assert recovered.left == ()
    assert not (root / "etc/x.conf").exists()
