"""Containers of a real docker daemon: a running one gets the fast core, every thread of it, and is put back.

The program works on this machine itself. What it may see of it is the test's: in a mount namespace of its own the CPUs
are of two types, and the folders of its journal and its lock are the test's.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.debian_tree import needed
from tests.support.dockerd import Docker, dockerd

from sparktune.errors import ExitCode
from sparktune.host.changes import all_changes

pytestmark = [pytest.mark.root, pytest.mark.slow, pytest.mark.timeout(300)]

_CPUS = {0: ("0xd87", "718"), 1: ("0xd85", "1024")}
_OTHERS = ",".join(change.id for change in all_changes() if change.id != "container-cpuset")


@pytest.fixture(scope="module", name="docker")
def _docker() -> Iterator[Docker]:
    if len(os.sched_getaffinity(0)) < 2 or not Path("/sys/devices/system/cpu/cpu1/cpu_capacity").exists():
        pytest.skip("needs two CPUs whose capacity the kernel tells")
    with dockerd() as docker:
        yield docker


@pytest.fixture(name="machine")
def _machine(tmp_path: Path) -> Path:
    """Write a script that runs a command where the machine looks as the test wants it."""
    mounts = []
    for name, target in (("lib", "/var/lib"), ("lock", "/run/lock")):
        (tmp_path / name).mkdir()
        mounts.append((tmp_path / name, target))
    cores = [f"processor\t: {cpu}\nCPU implementer\t: 0x41\nCPU part\t: {part}\n" for cpu, (part, _) in _CPUS.items()]
    (tmp_path / "cpuinfo").write_text("\n".join(cores))
    mounts.append((tmp_path / "cpuinfo", "/proc/cpuinfo"))
    for cpu, (_part, capacity) in _CPUS.items():
        (tmp_path / f"capacity{cpu}").write_text(f"{capacity}\n")
        mounts.append((tmp_path / f"capacity{cpu}", f"/sys/devices/system/cpu/cpu{cpu}/cpu_capacity"))
    script = tmp_path / "inside.sh"
    lines = [f"mount --bind {source} {target}" for source, target in mounts]
    script.write_text("\n".join(["set -e", *lines, 'exec "$@"', ""]))
    return script


def _host(docker: Docker, machine: Path, *words: str) -> tuple[int, dict[str, Any]]:
    done = subprocess.run(
        (
            *needed("unshare"),
            "--mount",
            "sh",
            str(machine),
            sys.executable,
            *("-m", "sparktune", "host", *words, "--nodes", "local", "--json", "--quiet"),
        ),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "DOCKER_HOST": docker.host},
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stdout, done.stderr
    (report,) = json.loads(done.stdout)["nodes"]
    assert report["error"] is None, report
    return done.returncode, report


def _is_as_wanted(code: int, report: dict[str, Any]) -> bool:
    """Tell whether all is OK; control groups of version 1 do not tell their effective cores, which is said."""
    other = {(check["target"].rpartition(": ")[2], check["status"]) for check in report["checks"]} - {
        ("cpuset", "OK"),
        ("1 thread", "OK"),
        ("control group", "OK"),
    }
    return (code, other) in ((ExitCode.DONE, set()), (ExitCode.DIFFERENCES, {("control group", "UNREADABLE")}))


def _allowed(docker: Docker, container: str) -> set[str]:
    """Return the CPUs that the threads of a container may use, from the kernel."""
    pid = docker.run("inspect", "--format", "{{.State.Pid}}", container)
    statuses = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/status")]
    return {line.split()[1] for text in statuses for line in text.splitlines() if line.startswith("Cpus_allowed_list")}


def test_a_running_container_gets_the_fast_core_and_is_put_back(docker: Docker, machine: Path) -> None:
    """Nobody restarts a server that has loaded a model for minutes to move it to other cores."""
    container = docker.start("--name", "served")
    assert _allowed(docker, container) == {"0-1"}

    code, planned = _host(docker, machine, "plan", "--without", _OTHERS)
    assert code == ExitCode.DIFFERENCES
    assert [step["change"] for step in planned["steps"]] == ["container-cpuset"]
    code, applied = _host(docker, machine, "apply", "--yes", "--without", _OTHERS)
    assert applied["state"] == "applied"
    assert _is_as_wanted(code, applied), applied["checks"]
    assert docker.run("inspect", "--format", "{{.HostConfig.CpusetCpus}}", container) == "1"
    assert _allowed(docker, container) == {"1"}
    code, verified = _host(docker, machine, "verify", "--without", _OTHERS)
    assert _is_as_wanted(code, verified), verified["checks"]
    code, again = _host(docker, machine, "plan", "--without", _OTHERS)
    assert (code, again["steps"]) == (ExitCode.DONE, [])

    code, reverted = _host(docker, machine, "revert", "--yes")
    assert (code, reverted["state"]) == (ExitCode.DONE, "reverted")
    assert _allowed(docker, container) == {"0-1"}
    docker.run("rm", "--force", container)


def test_a_cpuset_that_a_container_had_comes_back(docker: Docker, machine: Path) -> None:
    """What was there before is what is put back, not what is usual."""
    container = docker.start("--cpuset-cpus", "0")

    code, applied = _host(docker, machine, "apply", "--yes", "--without", _OTHERS)
    assert _is_as_wanted(code, applied), applied["checks"]
    assert _allowed(docker, container) == {"1"}

    code, _reverted = _host(docker, machine, "revert", "--yes")
    assert code == ExitCode.DONE
    assert docker.run("inspect", "--format", "{{.HostConfig.CpusetCpus}}", container) == "0"
    assert _allowed(docker, container) == {"0"}
    docker.run("rm", "--force", container)


def test_a_cpuset_that_somebody_set_since_is_left(docker: Docker, machine: Path) -> None:
    container = docker.start()
    _host(docker, machine, "apply", "--yes", "--without", _OTHERS)
    docker.run("update", "--cpuset-cpus", "0", container)

    code, reverted = _host(docker, machine, "revert", "--yes")

    assert code == ExitCode.DIFFERENCES
    outcomes = [said["outcome"] for step in reverted["undone"][0]["steps"] for said in step["items"].values()]
    assert outcomes == ["foreign"]
    assert _allowed(docker, container) == {"0"}
    docker.run("rm", "--force", container)
