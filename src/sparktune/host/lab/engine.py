"""A vLLM container and its processes, as Docker and procfs show them.

Sources: Docker Engine API, ContainerInspect; proc(5) for stat, status, limits, environ and cgroup.
"""

__all__ = ["ENGINE_CORE", "Engine", "engine_tree"]

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import msgspec

from sparktune.host.facts.containers import SOURCE
from sparktune.host.lab.tree import NodeTree, merge
from sparktune.model.reads import ReadCommand

ENGINE_CORE: Final = 42_101
_API, _WORKER = 41_822, 42_377
_ID: Final = "5a" * 32
_MEMLOCK: Final = "Max locked memory         unlimited            unlimited            bytes     \n"
# 34 fields follow the state; the 20th is when it began, the 37th where it ran last
_STAT: Final = "{tid} ({name}) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 {start}" + 15 * " 0" + " 17 {core} 0 0 0 0 0\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """``allowed`` is what every thread may use, ``cpuset`` what the container was given; both as CPU lists."""

    allowed: str = "5-9,15-19"
    cpuset: str = "5-9,15-19"
    environment: Mapping[str, str] = field(default_factory=dict)


def engine_tree(engine: Engine) -> NodeTree:
    """Return one running container with an API server, an engine core and a worker; nothing of them runs just now."""
    argv = ("vllm", "serve", "lab-model", "--tensor-parallel-size", "2", "--nnodes", "2")
    processes = (
        _process(engine, _API, "vllm", ("/usr/bin/python3", "/usr/local/bin/vllm", *argv[1:])),
        _process(engine, ENGINE_CORE, "VLLM::EngineCor", ("VLLM::EngineCore",)),
        _process(engine, _WORKER, "VLLM::Worker_TP", ("VLLM::Worker_TP0",)),
    )
    inspect = [read.argv for read in SOURCE.reads if isinstance(read, ReadCommand)]
    shown = msgspec.json.encode([_inspected(engine, argv)]).decode()
    scope = f"/sys/fs/cgroup/system.slice/docker-{_ID}.scope"
    files = {f"{scope}/cpuset.cpus.effective": f"{engine.cpuset or '0-19'}\n"}
    return merge(NodeTree(files=files, commands=dict.fromkeys(inspect, f"{shown}\n")), *processes)


def _process(engine: Engine, pid: int, name: str, argv: tuple[str, ...]) -> NodeTree:
    variables = "".join(f"{key}={value}\0" for key, value in engine.environment.items())
    files = {
        f"/proc/{pid}/cmdline": "".join(f"{word}\0" for word in argv),
        f"/proc/{pid}/environ": variables,
        f"/proc/{pid}/cgroup": f"0::/system.slice/docker-{_ID}.scope\n",
        f"/proc/{pid}/limits": _MEMLOCK,
    }
    for number in range(3):
        tid = pid + number
        thread = name if number == 0 else "cuda-EvtHandlr"
        files[f"/proc/{pid}/task/{tid}/stat"] = _STAT.format(tid=tid, name=thread, start=90_000, core=5 + number)
        files[f"/proc/{pid}/task/{tid}/status"] = f"Name:\t{thread}\nCpus_allowed_list:\t{engine.allowed}\n"
    return NodeTree(files=files)


def _inspected(engine: Engine, argv: tuple[str, ...]) -> dict[str, object]:
    return {
        "Id": _ID,
        "Name": "/vllm",
        "Image": f"sha256:{'c0' * 32}",
        "State": {"Status": "running", "Running": True, "Pid": _API, "StartedAt": "2026-01-05T08:00:00Z"},
        "HostConfig": {
            "CpusetCpus": engine.cpuset,
            "NetworkMode": "host",
            "Privileged": False,
            "CapAdd": ["IPC_LOCK"],
            "Devices": [{"PathOnHost": "/dev/infiniband", "PathInContainer": "/dev/infiniband"}],
            "Ulimits": [{"Name": "memlock", "Hard": -1, "Soft": -1}],
            "RestartPolicy": {"Name": "unless-stopped"},
        },
        "Config": {
            "Image": "vllm/vllm-openai:lab",
            "Cmd": list(argv),
            "Env": [f"{key}={value}" for key, value in engine.environment.items()],
            "Labels": {},
        },
        "Mounts": [],
    }
