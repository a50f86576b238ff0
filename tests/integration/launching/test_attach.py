"""Somebody else switches, a person or a script: what counts is what is read back."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.arms import arm_plan, bystander, hold_settings, living, server_command

from sparktune.errors import ArmFailed, UsageError
from sparktune.io.launching.hold import Hold

_STATE = "import sys, pathlib; pathlib.Path('state').write_text(sys.argv[1]); print('switched to', sys.argv[1])"
_LIVE = {"command": ["cat", "state"], "A": "one", "B": "two"}


def _script(word: str) -> dict[str, Any]:
    return {"switch": [sys.executable, "-c", _STATE, word], "wait_s": 60}


def _hold(tmp_path: Path, port: int, **more: Any) -> Hold:  # noqa: ANN401 - arguments of the hold
    return Hold(hold_settings(tmp_path, port), remember=lambda _record: None, **more)


async def test_a_script_switches_both_ways(tmp_path: Path, port: int) -> None:
    arms = {"A": _script("one"), "B": _script("two")}
    async with bystander(*server_command(port)) as server:
        hold = _hold(tmp_path, port)
        for arm, state in (("A", "one"), ("B", "two")):
            plan = arm_plan("attach", arms, arm, _LIVE)
            await hold.set_arm(arm, plan)
            reading = await hold.read_live(plan)
            assert reading.ok, reading.why
            assert reading.values == {"cat state": state}
            await hold.release()
        assert server.returncode is None, "the server is not ours to stop"
    assert [one["state"] for one in hold.state()["processes"]] == ["kept", "kept"]


async def test_a_person_who_did_not_switch_is_found_out(tmp_path: Path, port: int) -> None:
    """Pressing Enter proves nothing."""
    (tmp_path / "state").write_text("one")
    asked: list[str] = []

    async def ask(text: str) -> None:
        asked.append(text)

    plan = arm_plan("attach", {"A": {}, "B": {"text": "two, please"}}, "B", _LIVE)
    async with bystander(*server_command(port)):
        hold = _hold(tmp_path, port, ask=ask)
        await hold.set_arm("B", plan)
        reading = await hold.read_live(plan)

    assert asked == ["set arm B: two, please"]
    assert reading.why == "cat state is one, not two"


async def test_nobody_is_asked_without_a_terminal(tmp_path: Path, port: int) -> None:
    plan = arm_plan("attach", {"A": {}, "B": {}}, "B", _LIVE)
    with pytest.raises(UsageError, match="no terminal to ask at: set arm B"):
        await _hold(tmp_path, port).set_arm("B", plan)


async def test_a_script_that_fails_says_why(tmp_path: Path, port: int) -> None:
    fails = {"switch": [sys.executable, "-c", "import sys; sys.exit('no such container')"]}
    with pytest.raises(ArmFailed, match="failed: it ended with exit code 1; it said last:\nno such container"):
        await _hold(tmp_path, port).set_arm("B", arm_plan("attach", {"A": {}, "B": fails}, "B", _LIVE))


async def test_a_script_that_never_ends_is_ended(tmp_path: Path, port: int) -> None:
    hangs = {"switch": [sys.executable, "-c", "import time; time.sleep(600)"], "wait_s": 0.3}
    hold = _hold(tmp_path, port)
    with pytest.raises(ArmFailed, match="did not end within"):
        await hold.set_arm("B", arm_plan("attach", {"A": {}, "B": hangs}, "B", _LIVE))
    assert not living(tmp_path)


async def test_a_cancelled_switch_is_ended(tmp_path: Path, port: int) -> None:
    """A script that goes on by itself would switch in the middle of what comes next."""
    hangs = {"switch": [sys.executable, "-c", "import time; time.sleep(600)"]}
    hold = _hold(tmp_path, port)
    setting = asyncio.create_task(hold.set_arm("B", arm_plan("attach", {"A": {}, "B": hangs}, "B", _LIVE)))
    while not living(tmp_path):  # noqa: ASYNC110 - nobody tells of it
        await asyncio.sleep(0.01)
    setting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await setting
    assert not living(tmp_path)
    assert hold.state()["processes"][0]["state"] == "ended"


async def test_a_server_that_a_script_starts_stays(tmp_path: Path, port: int) -> None:
    """It is the user's server now: neither the end of the script nor that of the visit ends it."""
    command = server_command(port)
    starts = f"import subprocess; subprocess.Popen({command!r}, start_new_session=True)"
    (tmp_path / "state").write_text("two")
    arms = {"A": {}, "B": {"switch": [sys.executable, "-c", starts]}}
    plan = arm_plan("attach", arms, "B", _LIVE)
    hold = _hold(tmp_path, port)

    await hold.set_arm("B", plan)
    await hold.release()
    left = living(tmp_path)
    recovered = await Hold.recover(hold.state(), hold_settings(tmp_path, port), remember=lambda _record: None)

    assert [one.argv for one in left] == [tuple(command)]
    assert [one.pid for one in living(tmp_path)] == [left[0].pid]
    assert not recovered.done
    os.kill(left[0].pid, signal.SIGTERM)
    while living(tmp_path):  # noqa: ASYNC110 - nobody tells of its end
        await asyncio.sleep(0.01)
