"""A container of a real Docker: its cpuset is changed live, its threads follow, and what Docker cannot undo is known.

The daemon is the test's own: no network, its state in a folder that goes away.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.steps import kind_named

from sparktune.agent.failures import StepFailed
from sparktune.agent.machines import machine_of
from sparktune.agent.numbers import cpus_of, format_cpus
from sparktune.agent.tree import Tree

pytestmark = [pytest.mark.root, pytest.mark.timeout(600)]

_SLEEP = "/bin/sleep"


def _needed(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        pytest.skip(f"needs the command {program}")
    return path


def _docker(*words: str, stdin: bytes | None = None) -> str:
    done = subprocess.run([_needed("docker"), *words], input=stdin, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


@pytest.fixture(name="container")
def _container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Start a daemon and, in it, a container that sleeps; yield its full id."""
    socket = tmp_path / "docker.sock"
    command = [
        *(_needed("dockerd"), "--bridge=none", "--iptables=false", f"--data-root={tmp_path / 'data'}"),
        *(f"--exec-root={tmp_path / 'exec'}", f"--pidfile={tmp_path / 'pid'}", f"--host=unix://{socket}"),
        "--containerd-namespace=spark-test",
        "--containerd-plugins-namespace=spark-test-plugins",
    ]
    monkeypatch.setenv("DOCKER_HOST", f"unix://{socket}")
    with (tmp_path / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as daemon:
        try:
            ready = subprocess.run(
                [sys.executable, "-c", _WAIT, str(socket), str(daemon.pid)], check=False, capture_output=True
            )
            if ready.returncode:
                pytest.skip(f"no Docker can run here: {(tmp_path / 'log').read_text()[-300:]}")
            _docker("import", "-", "sleeper", stdin=_image(tmp_path))
            full_id = _docker("run", "--detach", "--network=none", "sleeper", _SLEEP, "100000")
            yield full_id
            _docker("rm", "--force", full_id)
        finally:
            daemon.terminate()


# It is a program of its own, since a test does not sleep.
_WAIT = """
import os, socket, sys, time
while True:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(sys.argv[1])
            sys.exit(0)
        except OSError:
            os.kill(int(sys.argv[2]), 0)
            if open(f"/proc/{sys.argv[2]}/stat").read().split(") ")[1][0] == "Z":
                sys.exit(1)
            time.sleep(0.2)
"""


def _image(folder: Path) -> bytes:
    """Return an archive with one program and its libraries."""
    listed = subprocess.run([_needed("ldd"), _SLEEP], capture_output=True, check=True, text=True).stdout
    path = folder / "image.tar"
    with tarfile.open(path, "w") as archive:
        for name in (_SLEEP, *re.findall(r"(/\S+) \(0x", listed)):
            archive.add(Path(name).resolve(), arcname=name.lstrip("/"))
    return path.read_bytes()


def _allowed(full_id: str) -> str:
    pid = _docker("inspect", "--format={{.State.Pid}}", full_id)
    return format_cpus(os.sched_getaffinity(int(pid)))


def test_a_containers_cpus(container: str) -> None:
    every = format_cpus(os.sched_getaffinity(0))
    one = str(min(cpus_of(every)))
    machine, kind = machine_of(Tree()), kind_named("container")
    step = {"kind": "container", "change": "test", "container": container, "cpus": one, "all_cpus": every, "expect": {}}
    before = kind.look(machine, step)
    assert before == {container: {"cpus": ""}}
    assert kind.do(machine, step, before) == {container: {"outcome": "changed"}}
    assert _allowed(container) == one
    assert kind.do(machine, step, before) == {container: {"outcome": "already"}}

    # Docker takes an empty cpuset for "no change".
    _docker("update", "--cpuset-cpus=", container)
    assert kind.look(machine, step) == {container: {"cpus": one}}

    kind.put_back(machine, step, container, before[container])
    assert kind.same(step, kind.look(machine, step)[container], before[container])
    assert _allowed(container) == every

    with pytest.raises(StepFailed, match="docker update"):
        kind.do(machine, {**step, "cpus": "4000"}, before)
    assert kind.same(step, kind.look(machine, step)[container], before[container])
    gone = {**step, "container": "f" * 64}
    assert kind.do(machine, gone, {})["f" * 64]["outcome"] == "gone"
