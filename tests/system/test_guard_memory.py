"""The memory guard on real memory: what eats it in a control group with a limit is ended, and so is its container.

The floor is set relative to what this machine has now, so that the guard acts long before the machine lacks anything.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support import eater
from tests.support.dockerd import dockerd

from sparktune.io.launching.proc import available_bytes

pytestmark = [pytest.mark.root, pytest.mark.timeout(300)]

_MIB = 1024**2
_ROOM = 500 * _MIB
_LIMIT = 2600 * _MIB
_STILL = 32 * _MIB
_GENEROUS_S = 5.0  # a busy machine may be slow; the figures of a quiet one are those of benchmarks/guard.py
_FOLDERS = (
    (Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"),
    (Path("/sys/fs/cgroup"), "memory.max"),
)


@pytest.fixture
def group() -> Iterator[Path]:
    """A control group that can have 2.6 GiB and no more."""
    for root, limit in _FOLDERS:
        folder = root / f"sparktune-test-{os.getpid()}"
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            (folder / limit).write_text(str(_LIMIT))
        except OSError:
            folder.rmdir()
            continue
        yield folder
        folder.rmdir()
        return
    pytest.skip("no control group with a limit of memory can be made here")


def _settled_bytes() -> int:
    """What is available once nothing is being given back: the memory of a test that has just ended comes back late.

    A floor set from a reading before that would never be reached.
    """
    readings = [available_bytes() or 0]
    for _ in range(60):
        time.sleep(0.5)
        readings.append(available_bytes() or 0)
        if len(readings) > 3 and max(readings[-4:]) - min(readings[-4:]) < _STILL:
            break
    return readings[-1]


def _guard(*words: str, environment: dict[str, str] | None = None) -> tuple[int, dict[str, Any], str]:
    available = _settled_bytes()
    if available < 4 * 1024 * _MIB:
        pytest.skip("this machine has less than 4 GiB available")
    limits = ("--available-floor", str(available - _ROOM))
    done = subprocess.run(
        (sys.executable, "-m", "sparktune", "guard", "--json", "--nodes", "local", *limits, *words),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout), done.stderr


def _eater(pace: str, group: Path, log: Path) -> tuple[str, ...]:
    words = ("--most", "2000", "--seconds", "90", "--group", str(group), "--log", str(log))
    return (sys.executable, str(eater.__file__), pace, *words)


@pytest.mark.parametrize("pace", ["slowly", "fast", "steps"])
def test_what_eats_memory_is_ended_before_its_limit(pace: str, group: Path, tmp_path: Path) -> None:
    code, report, err = _guard("--", *_eater(pace, group, tmp_path / "log"))

    assert code == 4, (err, report["nodes"][0]["curve"])
    assert report["trip"]["guard"] in {"memory-floor", "memory-slope"}
    assert report["stopped"]["after_tick_s"] < _GENEROUS_S
    assert (group / "cgroup.procs").read_text() == "", "nothing of it is left"
    curve = [one["available_bytes"] for one in report["nodes"][0]["curve"]]
    assert max(curve) > curve[-1]


def test_the_container_is_ended_by_its_id_and_no_other_one(group: Path, tmp_path: Path) -> None:
    with dockerd() as docker:
        ours = docker.start("--name", "engine", "--restart", "always")
        other = docker.start("--name", "engine-2", "--restart", "always")

        code, report, err = _guard(
            "--stop-engine",
            "engine",
            "--",
            *_eater("fast", group, tmp_path / "log"),
            environment=docker.environment,
        )

        assert code == 4, err
        assert report["stopped"]["engine"] == f"container {ours[:12]} (engine) was killed"
        assert docker.run("inspect", "--format", "{{.State.Running}}", ours) == "false", "nor is it started again"
        assert docker.run("inspect", "--format", "{{.State.Running}}", other) == "true"
