"""A start that failed, on a real docker: its container has ended, and its log is what a person needs.

The two streams of a container come from docker apart, so that the order of their lines is at stake, too.
"""

import json
import os
import subprocess
import sys

import pytest
from tests.support.dockerd import Docker, dockerd
from tests.support.python_image import python_image

pytestmark = pytest.mark.root

_TAG = "vllm-test:latest"
_BOOT = """\
echo 'INFO vLLM API server version 0.33.0'
sleep 0.2
echo '[rank0] NCCL WARN sendBytes failed: Broken pipe' >&2
sleep 0.2
echo 'ValueError: Free memory on device cuda:0 (100.00/120.00 GiB) on startup is less than'\\
' desired GPU memory utilization (0.9, 108.00 GiB).'
"""


def _logs(docker: Docker, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "sparktune", "logs", "--live", "--nodes", "local", *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **docker.environment},
    )


@pytest.mark.timeout(300)
def test_the_container_that_failed_last_is_read() -> None:
    with dockerd() as docker:
        docker.run("import", "-", _TAG, stdin=python_image())
        docker.run("run", "--name", "head", "--network", "none", _TAG, "/bin/sh", "-c", _BOOT)
        docker.run("create", "--name", "other", _TAG, "/bin/sh")
        done = _logs(docker, "--json")
        found = json.loads(done.stdout)
        assert done.returncode == 3, done.stderr
        assert found["first"]["id"] == "free-memory-short"
        assert found["first"]["node"] == "local"
        assert found["first"]["first"]["line"] == 3
        assert found["logs"][0]["file"] == "docker logs head"
        assert any("exited with exit code 0" in note for note in found["notes"])
        shown = _logs(docker).stdout
        assert shown.startswith("local failed first: The engine wants more memory at its start than is free")


@pytest.mark.timeout(300)
def test_a_node_without_an_engine_says_so() -> None:
    with dockerd() as docker:
        done = _logs(docker)
        assert done.returncode == 2
        assert "no container here is an engine" in done.stderr
