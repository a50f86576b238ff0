"""Arms of a service in containers: started on its node, read from inside, ended, and its memory awaited.

Docker is not the real one here; processes, sockets and what the kernel tells of them are.
"""

import asyncio
import os
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.support.arms import bystander, hold_settings, living, server_command
from tests.support.fake_docker import fake_docker
from tests.support.service_arm import Service

from sparktune.errors import ArmFailed
from sparktune.io.launching.hold import Hold
from sparktune.model.arm_action import ServiceProcess
from sparktune.model.launcher import LiveService

_FORGET: Any = lambda _record: None  # noqa: E731 - what is remembered matters to some tests only


@pytest.fixture
def service(tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch) -> Service:
    """A service, and the docker in the PATH that runs it."""
    monkeypatch.setenv("PATH", f"{fake_docker(tmp_path)}:{os.environ['PATH']}")
    return Service(folder=tmp_path, port=port)


def _hold(service: Service, **more: Any) -> Hold:  # noqa: ANN401 - settings, and what is remembered
    remember, record = more.pop("remember", _FORGET), more.pop("record", None)
    settings = hold_settings(service.folder, service.port, memory_still_s=0.5, **more)
    return Hold(settings, remember=remember, record=record)


def _docker(service: Service, *words: str) -> None:
    subprocess.run((str(service.folder / "programs" / "docker"), *words), check=True, capture_output=True)


async def test_two_arms_are_set_read_from_inside_and_ended(service: Service) -> None:
    hold = _hold(service)
    plans = {"A": service.plan(1), "B": service.plan(4, "x")}
    starts = set()
    for arm in ("A", "B", "A"):
        await hold.set_arm(arm, plans[arm])
        reading = await hold.read_live(plans[arm])
        again = await hold.read_live(plans[arm])
        assert reading.ok, reading.why
        assert reading == again
        starts.add(reading.values["serve: started"])
        assert reading.values["serve: --slots"] == ("4" if arm == "B" else "1")
        assert reading.values["serve: KNOB"] == ("x" if arm == "B" else "(not set)")
        assert reading.values["serve: image"].startswith("sha256:")
        assert "listens at port" in reading.notes[0]
    await hold.release()
    assert len(starts) == 3, "each start is another one"
    assert not living(service.folder)
    logs = sorted(path.name for path in (service.folder / "logs").iterdir())
    assert [name for name in logs if "boot-serve" in name] == [
        f"{number:03}-{arm}-boot-serve.log" for number, arm in ((2, "A"), (5, "B"), (8, "A"))
    ]
    assert "listening on" in (service.folder / "logs" / "002-A-boot-serve.log").read_text()


async def test_a_container_that_was_not_made_anew_is_refused(service: Service) -> None:
    """The file says 4, docker says it is up, and what runs still has 1."""
    hold = _hold(service)
    plan = service.plan(4)
    await hold.set_arm("A", service.plan(1))
    _docker(service, "compose", "-f", str(service.file(4)), "up", "-d")
    reading = await hold.read_live(plan)
    await hold.release()
    assert not reading.ok
    assert "serve: --slots is 1, not 4" in reading.why


@pytest.mark.parametrize(
    ("declared", "wanted", "why"),
    [
        ("", None, "KNOB is empty, not (not set)"),
        (None, "", "KNOB is (not set), not empty"),
        ("y", "x", "KNOB is y, not x"),
    ],
)
async def test_a_variable_that_is_empty_is_not_one_that_is_absent(
    service: Service, declared: str | None, wanted: str | None, why: str
) -> None:
    hold = _hold(service)
    await hold.set_arm("A", service.plan(1, declared))
    reading = await hold.read_live(service.plan(1, wanted))
    await hold.release()
    assert why in reading.why


async def test_a_service_that_was_started_anew_is_another_one(service: Service) -> None:
    """What restarts by itself in the middle of a visit has lost its caches, and perhaps its settings."""
    hold = _hold(service)
    plan = service.plan(1)
    await hold.set_arm("A", plan)
    before = await hold.read_live(plan)
    await hold.perform([service.compose(service.file(1), "up", "-d", "--force-recreate"), plan.actions[-1]])
    after = await hold.read_live(plan)
    await hold.release()
    assert before.ok
    assert after.ok
    assert before.values != after.values


async def test_cores_that_no_thread_has_are_refused(service: Service) -> None:
    hold = _hold(service)
    plan = service.plan(1)
    await hold.set_arm("A", plan)
    reader = LiveService(service=service.process, cpus="9998-9999")
    reading = await hold.read_live(type(plan)(actions=(), readers=(reader,), takes="restart"))
    await hold.release()
    assert not reading.ok
    assert "may use" in reading.why


async def test_what_runs_elsewhere_is_not_read(service: Service) -> None:
    """Labels that no container has, or that two have, are not guessed."""
    hold = _hold(service)
    plan = service.plan(1)
    await hold.set_arm("A", plan)
    reader = LiveService(service=ServiceProcess(node="", labels={"com.docker.compose.service": "other"}))
    reading = await hold.read_live(type(plan)(actions=(), readers=(reader,), takes="restart"))
    await hold.release()
    assert "nothing runs in it" in reading.why


async def test_one_that_ends_while_it_starts_is_told_with_what_state_it_is_in(service: Service) -> None:
    hold = _hold(service)
    service.file(1).write_text(service.file(1).read_text().replace('"--slots"', '"--no-such-flag"'))
    plan = service.plan(1)
    broken = service.file(1)
    broken.write_text(broken.read_text().replace('"--slots"', '"--no-such-flag"'))
    with pytest.raises(ArmFailed) as caught:
        await hold.set_arm("A", plan)
    assert "no rank is up: serve (head) is exited with exit code 2" in str(caught.value)
    assert "start serve" in caught.value.hint
    assert not living(service.folder)


async def test_a_command_that_fails_says_what_it_said(service: Service) -> None:
    hold = _hold(service)
    plan = service.plan(1)
    service.file(1).unlink()
    with pytest.raises(
        ArmFailed, match=r"docker compose -f .* failed: exit code 1; it said last:\n(.*\n)*.*FileNotFound"
    ):
        await hold.set_arm("A", plan)


async def test_a_kill_ends_it_at_once_and_the_rest_follows(service: Service) -> None:
    """To save its host nothing is asked first; one that ignores being asked goes the same way."""
    stubborn = Service(folder=service.folder, port=service.port, habits=("ignore-term",))
    hold = _hold(stubborn)
    await hold.set_arm("A", stubborn.plan(1))
    assert living(service.folder)
    await hold.kill()
    assert not [one for one in living(service.folder) if "arm_server.py" in " ".join(one.argv)]
    await hold.release()
    assert hold.state()["leaving"] == []


async def test_a_leftover_that_listens_is_named_and_left_alone(service: Service) -> None:
    """An engine's process that outlives its container keeps memory and port: it is named, not guessed, not killed."""
    leaving = Service(folder=service.folder, port=service.port, habits=("leave-child",))
    hold = _hold(leaving)
    plan = leaving.plan(1)
    stop, await_memory = plan.leave[1], plan.leave[2]
    impatient = type(await_memory)(service=leaving.process, limit_s=2.0)  # type: ignore[call-arg] - an AwaitMemory
    await hold.set_arm(
        "A", type(plan)(actions=plan.actions, readers=plan.readers, takes="restart", leave=(stop, impatient))
    )
    child = next(one.pid for one in living(service.folder) if one.session == one.pid and "arm_server.py" in one.argv[1])
    try:
        with pytest.raises(ArmFailed) as caught:
            await hold.release()
        assert f"pid {child} (" in str(caught.value)
        assert "arm_server.py" in str(caught.value)
        assert "listens at the service's port" in str(caught.value)
        assert f"ps -fp {child}" in caught.value.hint
        assert hold.state()["leaving"], "it is still to be left"
    finally:
        os.kill(child, signal.SIGKILL)
    await hold.release()
    assert hold.state()["leaving"] == []


async def test_memory_that_does_not_come_back_is_measured_and_told(service: Service) -> None:
    hold = _hold(service, memory_slack_bytes=-(1 << 50))
    plan = service.plan(1)
    impatient = type(plan.leave[2])(service=service.process, limit_s=1.5)  # type: ignore[call-arg] - an AwaitMemory
    await hold.set_arm(
        "A", type(plan)(actions=plan.actions, readers=plan.readers, takes="restart", leave=(plan.leave[1], impatient))
    )
    with pytest.raises(ArmFailed, match=r"less memory is available than before the server was started"):
        await hold.release()


async def test_a_server_beside_it_is_nobodys_leftover(service: Service) -> None:
    """Two services may share a host."""
    hold = _hold(service)
    async with bystander(*server_command(0)):
        await hold.set_arm("A", service.plan(1))
        await hold.release()
    assert not hold.notes


async def test_what_ran_before_is_remembered_once(service: Service) -> None:
    """After a crash nobody sees any more that it ran."""
    records: list[Mapping[str, Any]] = []
    original = (service.compose(service.file(1), "up", "-d"),)
    assert _hold(service, remember=records.append).keep_original(original, begins=False) == original
    assert not records
    assert _hold(service, remember=records.append).keep_original(original, begins=True) == original
    assert _hold(service, record=records[-1]).keep_original((), begins=True) == original
    assert _hold(service, record=records[-1]).keep_original((), begins=False) == original


async def test_a_cancelled_start_is_ended_without_waiting_for_it(service: Service) -> None:
    slow = Service(folder=service.folder, port=service.port, habits=("loading",))
    hold = _hold(slow)
    setting = asyncio.create_task(hold.set_arm("A", slow.plan(1)))
    while not [one for one in living(service.folder) if "arm_server.py" in " ".join(one.argv)]:  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    setting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await setting
    assert not living(service.folder)
