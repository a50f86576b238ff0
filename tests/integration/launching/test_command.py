"""A command per arm with real processes: started, awaited, read back, and really gone afterwards."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.support.arms import bystander, command_plan, hold_settings, living, server_command

from sparktune.errors import ArmFailed, StoreError
from sparktune.io.launching.hold import Hold


async def _given_back(*_arguments: object) -> str:
    return ""


async def test_the_reference_server_is_set_read_back_and_gone(tmp_path: Path, port: int) -> None:
    records: list[Mapping[str, Any]] = []
    hold = Hold(hold_settings(tmp_path, port), remember=records.append)
    plan = command_plan([sys.executable, "-m", "sparktune.io.reference", "--port", str(port)], env={"KNOB": "4"})

    await hold.set_arm("B", plan)
    reading = await hold.read_live(plan)
    running = hold.state()["processes"][0]
    await hold.release()
    await hold.release()

    assert reading.ok, reading.why
    assert reading.values == reading.wanted
    assert reading.values["env KNOB"] == "4"
    name = Path(sys.executable).name
    assert reading.notes == (f"read from pid {running['pid']} ({name}, the started process, listens on port {port})",)
    assert [record["processes"][0]["state"] for record in records if record["processes"]][:2] == ["starting", "running"]
    assert hold.state()["processes"][0]["state"] == "ended"
    assert json.loads(json.dumps(hold.state())) == hold.state()
    assert not living(tmp_path)
    assert not hold.notes


async def test_one_that_ignores_being_asked_is_killed_and_that_is_said(tmp_path: Path, port: int) -> None:
    hold = Hold(hold_settings(tmp_path, port, terminate_s=0.3), remember=lambda _record: None)
    await hold.set_arm("B", command_plan(server_command(port, "ignore-term")))

    await hold.release()

    assert not living(tmp_path)
    assert any("was killed" in note for note in hold.notes), hold.notes


async def test_a_child_that_keeps_the_port_in_a_session_of_its_own_is_found(tmp_path: Path, port: int) -> None:
    """What is left on the port would answer for the next arm."""
    hold = Hold(hold_settings(tmp_path, port), remember=lambda _record: None)
    plan = command_plan(server_command(port, "leave-child"))
    await hold.set_arm("B", plan)
    before = living(tmp_path)
    assert len({one.session for one in before}) == 2, "the child is in a session of its own"

    reading = await hold.read_live(plan)
    await hold.release()

    assert reading.ok, reading.why
    assert "listens on port" in reading.notes[0]
    assert not living(tmp_path)


async def test_a_server_of_somebody_else_is_refused_and_left_alone(tmp_path: Path, port: int) -> None:
    """Measuring it would be a lie, ending it would be harm."""
    async with bystander(*server_command(port)) as foreign:
        hold = Hold(hold_settings(tmp_path, port), remember=lambda _record: None)

        with pytest.raises(ArmFailed, match=rf"answers at 127.0.0.1:{port} already \(pid {foreign.pid}, python"):
            await hold.set_arm("B", command_plan(server_command(port)))

        assert foreign.returncode is None
        assert hold.state()["processes"] == []


async def test_an_end_in_the_middle_is_noticed(tmp_path: Path, port: int) -> None:
    hold = Hold(hold_settings(tmp_path, port), remember=lambda _record: None)
    plan = command_plan(server_command(port))
    await hold.set_arm("B", plan)
    assert hold.ended() == ""

    os.kill(hold.state()["processes"][0]["pid"], signal.SIGKILL)
    while not hold.ended():  # noqa: ASYNC110 - the kernel takes a moment
        await asyncio.sleep(0.01)
    reading = await hold.read_live(plan)
    await hold.release()

    assert "signal 9" in reading.why
    assert not reading.ok


async def test_a_cancelled_start_leaves_nothing(tmp_path: Path, port: int) -> None:
    """Ctrl-C while a model loads is the most usual moment for it."""
    hold = Hold(hold_settings(tmp_path, port), remember=lambda _record: None)
    starting = asyncio.create_task(hold.set_arm("B", command_plan(server_command(port, "loading"))))
    while not living(tmp_path):  # noqa: ASYNC110 - nobody tells of it
        await asyncio.sleep(0.01)

    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting

    assert not living(tmp_path)
    assert hold.state()["processes"][0]["state"] == "ended"


async def test_an_impatient_person_does_not_break_the_end_off(tmp_path: Path, port: int) -> None:
    """Ctrl-C again and again, while a server is being stopped: it is stopped all the same."""
    hold = Hold(hold_settings(tmp_path, port, terminate_s=0.5), remember=lambda _record: None)
    await hold.set_arm("B", command_plan(server_command(port, "ignore-term")))
    releasing = asyncio.create_task(hold.release())
    for _ in range(3):
        await asyncio.sleep(0.02)
        releasing.cancel()

    with pytest.raises(asyncio.CancelledError):
        await releasing

    assert not living(tmp_path)
    assert hold.state()["processes"][0]["state"] == "ended"


@pytest.mark.parametrize("fails_at", [1, 2, 3])
async def test_what_cannot_be_remembered_is_not_left_running(tmp_path: Path, port: int, fails_at: int) -> None:
    """A full disk: the store fails, before or after the start."""
    count = 0

    def remember(_record: Mapping[str, Any]) -> None:
        nonlocal count
        count += 1
        if count >= fails_at:
            message = "the disk is full"
            raise StoreError(message)

    hold = Hold(hold_settings(tmp_path, port), remember=remember)
    with pytest.raises(StoreError):
        await hold.set_arm("B", command_plan(server_command(port)))

    assert not living(tmp_path)
    assert count >= fails_at


async def test_secrets_reach_the_server_and_nothing_else(tmp_path: Path, port: int) -> None:
    """A key in a record or a log would travel with every report."""
    key, records = "geheim-and-long-1234\nwith a second line", list[Mapping[str, Any]]()
    settings = hold_settings(tmp_path, port)
    settings = hold_settings(tmp_path, port, environment={**settings.environment, "MY_KEY": key})
    tells = (
        "import os, sys; print('args', *sys.argv[1:], os.environ['SERVER_TOKEN'], flush=True);"
        f"sys.argv = ['x', '{port}']; sys.path.insert(0, {str(Path(__file__).parents[3])!r});"
        "from tests.support.arm_server import main; main()"
    )
    plan = command_plan([sys.executable, "-c", tells, "--api-key", "${MY_KEY}"], env={"SERVER_TOKEN": "${MY_KEY}"})
    hold = Hold(settings, remember=records.append)

    await hold.set_arm("B", plan)
    seen = living(tmp_path)
    reading = await hold.read_live(plan)
    await hold.release()

    assert any(key in one.argv and f"SERVER_TOKEN={key}" in (one.environment or ()) for one in seen)
    assert reading.ok, reading.why
    logs = "".join(path.read_text() for path in (tmp_path / "logs").iterdir())
    assert "args" in logs
    for line in key.splitlines():
        assert line not in logs + json.dumps(records) + repr(reading)


async def test_memory_that_does_not_come_back_is_said(
    tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next arm would start into less memory than this one had."""
    hold = Hold(hold_settings(tmp_path, port, memory_slack_bytes=0, memory_s=0.1), remember=lambda _record: None)
    monkeypatch.setattr("sparktune.io.launching.programs.available_bytes", lambda: 1 << 50)
    await hold.set_arm("B", command_plan(server_command(port)))

    await hold.release()
    first = hold.notes
    await hold.set_arm("B", command_plan(server_command(port)))
    second = hold.notes
    monkeypatch.setattr("sparktune.io.launching.programs.wait_given_back", _given_back)
    await hold.release()

    assert first[0].startswith("after arm B: ")
    assert "less memory is available than before the server was started" in first[0]
    assert second == first, "it is what the next visit starts with"
    assert hold.notes == ()
