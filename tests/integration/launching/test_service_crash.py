"""A run that is killed with SIGKILL while it sets, holds or leaves an arm of a service: what ran before runs again."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.arms import hold_settings, living
from tests.support.fake_docker import fake_docker
from tests.support.service_arm import Service

from sparktune.io.launching.hold import Hold, Recovered

pytestmark = pytest.mark.slow

_RECORDS = 7  # one more than there are: the walk is whole


@pytest.fixture
def service(tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch) -> Service:
    """A service that runs with one slot before the experiment, in containers of a docker of the test's own."""
    monkeypatch.setenv("PATH", f"{fake_docker(tmp_path)}:{os.environ['PATH']}")
    found = Service(folder=tmp_path, port=port)
    _compose(found)
    return found


def _compose(service: Service) -> None:
    docker = str(service.folder / "programs" / "docker")
    subprocess.run((docker, "compose", "-f", str(service.file(1)), "up", "-d"), check=True)


def _killed(service: Service, at: int) -> subprocess.Popen[bytes]:
    module, where = "tests.support.killed_service_arm", (str(service.folder), str(service.port), str(at))
    command = (sys.executable, "-m", module, *where)
    root = Path(__file__).parents[3]
    return subprocess.Popen(command, cwd=root, env={**os.environ, "PYTHONPATH": str(root)})


def _slots(service: Service) -> list[str]:
    lines = [one.argv for one in living(service.folder)]
    return [line[line.index("--slots") + 1] for line in lines if line[0] == sys.executable and "--slots" in line]


async def _brought_back(service: Service) -> Recovered:
    kept = service.folder / "record.json"
    settings = hold_settings(service.folder, service.port, memory_still_s=0.2)
    record = json.loads(kept.read_text())
    recovered = await Hold.recover(record, settings, remember=lambda new: kept.write_text(json.dumps(new)) and None)
    hold = Hold(settings, remember=lambda _record: None, record=json.loads(kept.read_text()))
    # What a launcher sees now is that nothing runs; what is known from before counts.
    await hold.perform(hold.keep_original((), begins=False))
    return recovered


@pytest.mark.parametrize("at", range(1, _RECORDS + 1))
async def test_killed_at_a_record(service: Service, at: int) -> None:
    try:
        code = await asyncio.to_thread(_killed(service, at).wait)
        if at == _RECORDS:
            assert code == 0, "there are more records than the test walks over"
            return
        assert code == -signal.SIGKILL
        recovered = await _brought_back(service)
        assert recovered.left == ()
        assert _slots(service) == ["1"]
        assert await _brought_back(service) == Recovered(), "twice is as well as once"
    finally:
        await _ended(service)


async def test_killed_while_the_server_comes_up(service: Service) -> None:
    """The start goes on by itself on its node; what recovers ends it before it brings back what was there."""
    try:
        running = _killed(service, 0)
        while _slots(service) != ["4"]:
            assert running.poll() is None, "it ended before"
            await asyncio.sleep(0.01)
        running.kill()
        running.wait()
        recovered = await _brought_back(service)
        assert recovered.left == ()
        assert recovered.done[0] == "ended the service of arm B"
        assert _slots(service) == ["1"]
    finally:
        await _ended(service)


async def _ended(service: Service) -> None:
    settings = hold_settings(service.folder, service.port, memory_still_s=0.2)
    await Hold(settings, remember=lambda _record: None).perform(service.stop()[1:2])
