"""A real llama.cpp server per arm: what it says of itself is what the arm asked for, or the arm is refused."""

import sys
from pathlib import Path

import pytest
from tests.support.arms import SERVER, arm_plan, hold_settings

from sparktune.errors import ArmFailed
from sparktune.io.launching.hold import Hold

_ARM = SERVER.with_name("llama_arm.py")
_SLOTS = (("A", "1"), ("B", "4"))
_LIVE = {"http": "/props", "keys": "total_slots", "A": 1, "B": 4}


async def test_slots_are_read_from_the_server_itself(tmp_path: Path, port: int, tiny_model: Path) -> None:
    """Both arms on one port, one after the other, each with a token before it counts as set."""
    arms = {arm: {"command": [sys.executable, str(_ARM), str(port), str(tiny_model), slots]} for arm, slots in _SLOTS}
    hold = Hold(hold_settings(tmp_path, port), remember=lambda _record: None)
    found = []
    for arm in "AB":
        plan = arm_plan("command", arms, arm, _LIVE)
        await hold.set_arm(arm, plan)
        reading = await hold.read_live(plan)
        assert reading.ok, reading.why
        found.append(reading.values["/props total_slots"])
        other = await hold.read_live(arm_plan("command", arms, "B" if arm == "A" else "A", _LIVE))
        assert not other.ok, "the other arm is not live"
    await hold.release()

    assert found == ["1", "4"]
    assert not hold.notes


async def test_a_model_that_is_not_there_is_told_in_its_own_words(tmp_path: Path, port: int) -> None:
    arms = {"A": {"command": ["x"]}, "B": {"command": [sys.executable, str(_ARM), str(port), "no.gguf", "1"]}}
    hold = Hold(hold_settings(tmp_path, port), remember=lambda _record: None)
    with pytest.raises(ArmFailed, match="did not come up: it ended with"):
        await hold.set_arm("B", arm_plan("command", arms))
    (log,) = (tmp_path / "logs").iterdir()
    assert "no.gguf" in log.read_text()
