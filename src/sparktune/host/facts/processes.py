"""Inference processes and their threads: who they are, which cores they may use, what confines them.

Source: Linux ``proc(5)`` (stat, status, cgroup, limits), ``Documentation/admin-guide/cgroup-v2.rst`` (cpuset).
"""

__all__ = ["InferenceProcess", "InferenceThread", "ProcessFacts"]

from collections.abc import Mapping
from dataclasses import dataclass, field

from sparktune.model.observed import Observed, absent
from sparktune.units import Bytes, Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceThread:
    """One thread: its name, its state letter, the cores that it may use and the core that it ran on last."""

    tid: int
    name: str
    state: Observed[str]
    allowed: Observed[frozenset[int]]
    last_core: Observed[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceProcess:
    """One process of an engine.

    ``engine`` is vllm, sglang, llamacpp, ollama ...; ``role`` what it does in it (api-server, engine-core, worker,
    rpc-server ...). ``command`` has its secrets removed. ``started_s`` counts from the start of the machine.
    ``container`` is the id of its container, ``unit`` the systemd unit; both None for neither or unknown.
    ``cpuset`` are the cores that its control group leaves it. ``memlock_bytes`` is the soft limit, ABSENT with
    ``unlimited_memlock`` when there is none. ``environment`` holds only variables of NCCL, Gloo, UCX and their like.
    """

    pid: int
    engine: str
    role: str
    name: str
    command: tuple[str, ...] = ()
    started_s: Observed[Seconds] = absent()
    cgroup: Observed[str] = absent()
    container: str | None = None
    unit: str | None = None
    cpuset: Observed[frozenset[int]] = absent()
    memlock_bytes: Observed[Bytes] = absent()
    unlimited_memlock: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)
    threads: tuple[InferenceThread, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessFacts:
    """All inference processes of a node, by pid."""

    processes: tuple[InferenceProcess, ...] = ()
