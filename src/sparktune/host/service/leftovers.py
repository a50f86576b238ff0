"""What is left of a service that was stopped, and what else holds its memory or its port. Pure.

A process is named only for what was seen of it: it belongs to the service; it is an engine's and its container is gone
or its parent has ended; it listens at the service's port. That two engines share a host is no fault: one that was there
before the service was first started, or that belongs to a container or unit of its own, is nobody's leftover, and what
memory it takes is told by the memory itself.
Source: nvidia-smi --query-compute-apps (``used_memory`` is "[N/A]" on machines whose GPU shares the
host's memory).
"""

__all__ = ["Around", "Leftover", "engine_like", "gpu_memory", "leftovers"]

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sparktune.engines import role_of
from sparktune.host.service.facts import NodeProcess, ServiceFacts
from sparktune.host.service.serving import servers_of
from sparktune.units import Bytes

_CONTAINER: Final = re.compile(r"(?:^|[/:-])([0-9a-f]{64})(?:\.scope)?(?:/|$)", re.MULTILINE)
_UNIT: Final = re.compile(r"[^/]+\.(?:service|scope)")
_INNER: Final = frozenset({"engine-core", "worker", "runner"})
_REAPERS: Final = ("systemd", "init", "containerd-shim", "docker-init", "tini")

Identity = tuple[int, int]
"""A process's number and start, which together are nobody else's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """A process that should not be there, and what was seen of it."""

    process: NodeProcess
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What else was seen on the node.

    ``gpu``: the memory of GPU processes, None for untold; ``running``: the ids of running containers; ``listening``:
    who listens at the service's port; ``known``: which engines were there before the service was first started.
    """

    gpu: Mapping[int, Bytes | None] = field(default_factory=dict)
    running: Collection[str] = ()
    listening: Collection[int] = ()
    known: Collection[Identity] = ()


def gpu_memory(text: str) -> dict[int, Bytes | None]:
    """Return the memory by process of ``--query-compute-apps=pid,used_memory --format=csv,noheader,nounits``."""
    found: dict[int, Bytes | None] = {}
    for line in text.splitlines():
        pid, _comma, size = (part.strip() for part in line.partition(","))
        if pid.isascii() and pid.isdecimal():
            found[int(pid)] = int(size) << 20 if size.isascii() and size.isdecimal() else None
    return found


def engine_like(processes: Sequence[NodeProcess], gpu: Collection[int]) -> tuple[NodeProcess, ...]:
    """Return the processes of engines, and those that compute on the GPU."""
    return tuple(one for one in processes if one.pid in gpu or role_of(one.name, one.argv) is not None)


def leftovers(facts: ServiceFacts, around: Around) -> tuple[Leftover, ...]:
    """Return what has to be gone before the service is started again."""
    found = [Leftover(process=one, why="still runs in the service") for one in servers_of(facts.processes)]
    by_pid = {one.pid: one for one in (*facts.processes, *facts.others)}
    engines = {one.pid for one in engine_like(facts.others, around.gpu)}
    for one in facts.others:
        why = ""
        if one.pid in engines:
            why = _why(one, by_pid, around)
        if not why and one.pid in around.listening:
            why = "listens at the service's port"
        if why:
            found.append(Leftover(process=one, why=why))
    return tuple(found)


def _why(one: NodeProcess, by_pid: Mapping[int, NodeProcess], around: Around) -> str:
    if (one.pid, one.start_ticks) in around.known:
        return ""
    container = _CONTAINER.search(one.groups)
    if container is not None:
        return "" if container[1] in around.running else "its container is gone"
    parent = by_pid.get(one.parent)
    orphaned = one.parent == 1 or parent is None or parent.name.startswith(_REAPERS)
    role = role_of(one.name, one.argv)
    if orphaned and role is not None and role.role in _INNER:
        return f"an {role.role} whose parent has ended"
    if orphaned and not _UNIT.search(one.groups):
        return "it belongs to no container and no unit, and its parent has ended"
    return ""
