"""A real process with the name of an engine, seen through the agent: threads, cores, limits, environment."""

import asyncio
import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparktune.host.facts.processes import SOURCE, InferenceProcess, ProcessFacts
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.fanout import observe_all

_SECRET = "k3y0fN0b0dy"  # noqa: S105 - stands for one


@pytest.fixture(name="server")
def _server(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    program = tmp_path / "llama-server"
    shutil.copy(shutil.which("sleep") or "/bin/sleep", program)
    environment = {"NCCL_IB_HCA": "rocep1s0f0", "HF_TOKEN": _SECRET}
    with subprocess.Popen([program, "300"], env=environment) as child:
        os.sched_setaffinity(child.pid, {min(os.sched_getaffinity(0))})
        yield child
        child.kill()


def test_a_process_is_seen_as_it_is(server: subprocess.Popen[bytes]) -> None:
    process = _observed(server.pid)

    (thread,) = process.threads
    assert (process.engine, process.role, process.name) == ("llamacpp", "api-server", "llama-server")
    assert process.command[-1] == "300"
    assert process.environment == {"NCCL_IB_HCA": "rocep1s0f0"}
    assert thread.tid == server.pid
    assert thread.allowed.value == {min(os.sched_getaffinity(0))}
    assert thread.state.value in set("SRD")
    assert process.unlimited_memlock is (resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] == resource.RLIM_INFINITY)
    assert process.started_s.value is not None


def _observed(pid: int) -> InferenceProcess:
    (answer,) = asyncio.run(observe_all([NodeTarget(name="local")], SOURCE.reads))
    assert answer.readings is not None, answer.error
    assert _SECRET not in repr(answer.readings.matching("/proc/[0-9]*/environ")[f"/proc/{pid}/environ"])
    facts: ProcessFacts = SOURCE.parse(answer.readings)
    return next(one for one in facts.processes if one.pid == pid)
