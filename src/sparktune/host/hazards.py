"""Which inference would land on efficiency cores, or is confined to them, when the rest of the system moves there.

Sources: Documentation/admin-guide/cgroup-v2.rst, cpuset.cpus (a group of which no core is granted has those of its
parent); https://github.com/opencontainers/runc issues 4814, 4858, 5023: since Linux 6.2 (commit da019032819a) a
container keeps the affinity that its runtime was started with, and runc resets it from 1.2.7 and 1.3.1 on.
"""

__all__ = ["Inference", "container_keeps_affinity", "evidence", "hints", "in_container", "inference_on", "is_below"]

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sparktune.host.cpulist import CpuSet, format_cpulist
from sparktune.host.facts.containers import Container, ContainerFacts
from sparktune.host.facts.gpu import GpuFacts
from sparktune.host.facts.kernel import KernelFacts
from sparktune.host.facts.processes import InferenceProcess, ProcessFacts
from sparktune.host.tasks import Tasks
from sparktune.model.node import NodeFacts
from sparktune.model.profile import Profile

_MOST_LINES = 12
# They draw on the GPU, and compute nothing that is served.
_DESKTOP = ("Xorg", "Xwayland", "gnome-shell", "gnome-remote-de", "kwin_wayland", "kwin_x11")
_RELEASE = re.compile(r"(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?(-rc)?")
_CONTAINED = re.compile(
    r"(?:^|[/-])(?:docker|libpod|cri-containerd|crio)[/-][0-9a-f]{4,}|^/(?:machine\.slice|kubepods)"
)
_KEEPS_MASK_FROM = (6, 2)
_RUNC_RESETS = {(1, 2): 7, (1, 3): 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """One process that serves a model or computes on the GPU.

    ``what`` is its engine and role, or its name. ``container`` and ``unit`` say who started it; a process with neither
    was started by hand. ``cgroup`` is empty when unknown. ``allowed`` are the cores of each thread, as far as known.
    """

    pid: int
    what: str
    container: Container | None = None
    unit: str | None = None
    cgroup: str = ""
    allowed: tuple[CpuSet, ...] = ()

    @property
    def owner(self) -> str:
        """Who started it, in words."""
        if self.container is not None:
            return f"container {self.container.name or self.container.id[:12]}"
        return self.unit or "started by hand"

    @property
    def service(self) -> str | None:
        """The systemd service that it is part of, outside of containers."""
        return self.unit if self.unit is not None and self.unit.endswith(".service") else None


def inference_on(facts: NodeFacts, profile: Profile, tasks: Tasks) -> tuple[Inference, ...]:
    """Return the inference that runs on a node, by process: engines, programs on the GPU, containers that are named."""
    containers = (facts.get(ContainerFacts) or ContainerFacts()).containers
    found = {one.pid: _of_process(one, containers) for one in (facts.get(ProcessFacts) or ProcessFacts()).processes}
    for process in _computing(facts):
        if process[0] not in found:
            found[process[0]] = _of_pid(process[0], process[1], tasks, containers)
    for container in containers:
        inside = any(one.container == container for one in found.values())
        counts = container.engine is not None or container.name in profile.containers
        if counts and container.running and not inside:
            what = container.engine or "inference"
            found[container.pid or -len(found)] = _of_container(container, what, tasks)
    return tuple(found[pid] for pid in sorted(found))


def _of_process(process: InferenceProcess, containers: Iterable[Container]) -> Inference:
    allowed = [thread.allowed.value for thread in process.threads]
    return Inference(
        pid=process.pid,
        what=f"{process.engine} {process.role}",
        container=_container_of(process.pid, process.container, containers),
        unit=_unit_of(process.cgroup.value or ""),
        cgroup=process.cgroup.value or "",
        allowed=tuple(cpus for cpus in allowed if cpus),
    )


def _of_pid(pid: int, name: str, tasks: Tasks, containers: Iterable[Container]) -> Inference:
    cgroup = tasks.cgroups.get(pid, "")
    return Inference(
        pid=pid,
        what=f"{name.rpartition('/')[2]}, computes on the GPU",
        container=next((one for one in containers if one.id and one.id in cgroup), None),
        unit=_unit_of(cgroup),
        cgroup=cgroup,
        allowed=_allowed(pid, tasks),
    )


def _of_container(container: Container, what: str, tasks: Tasks) -> Inference:
    pid = container.pid or 0
    return Inference(
        pid=pid, what=what, container=container, cgroup=tasks.cgroups.get(pid, ""), allowed=_allowed(pid, tasks)
    )


def _allowed(pid: int, tasks: Tasks) -> tuple[CpuSet, ...]:
    return tuple(task.allowed for task in tasks.tasks if task.pid == pid)


def _container_of(pid: int, identity: str | None, containers: Iterable[Container]) -> Container | None:
    found = next((one for one in containers if one.id == identity or (one.pid == pid and one.running)), None)
    if found is not None or identity is None:
        return found
    return Container(id=identity, name="", image="")  # Docker does not answer, or it is another runtime's


def _unit_of(cgroup: str) -> str | None:
    """Return the innermost unit that the machine's own systemd manages: what a user's manager starts is by hand."""
    parts = [part for part in cgroup.split("/") if part.endswith((".service", ".scope"))]
    if not parts or parts[0].startswith(("session-", "user@")) or in_container(cgroup):
        return None
    return parts[0]


def _computing(facts: NodeFacts) -> Iterator[tuple[int, str]]:
    gpu = facts.get(GpuFacts)
    for process in (gpu.processes.value or ()) if gpu is not None else ():
        if not process.name.rpartition("/")[2].startswith(_DESKTOP):
            yield process.pid, process.name


def in_container(cgroup: str) -> bool:
    """Whether a control group is that of a container or a virtual machine: they get their cores elsewhere."""
    return _CONTAINED.search(cgroup) is not None


def is_below(cgroup: str, units: Iterable[str]) -> bool:
    """Whether a control group is one of the top-level units, or in it."""
    return cgroup.strip("/").partition("/")[0] in tuple(units)


def container_keeps_affinity(facts: NodeFacts) -> bool | None:
    """Whether a container without a cpuset keeps the affinity that its runtime inherited; None when not known."""
    kernel = facts.get(KernelFacts)
    release = _numbers(kernel.release.value or "") if kernel is not None else None
    if release is not None and release[:2] < _KEEPS_MASK_FROM:
        return False
    runc = _numbers(kernel.runc.value or "") if kernel is not None else None
    if runc is None or release is None:
        return None
    fixed = _RUNC_RESETS.get(runc[:2])
    return runc[:2] < min(_RUNC_RESETS) or (fixed is not None and runc[2] < fixed)


def _numbers(version: str) -> tuple[int, int, int] | None:
    found = _RELEASE.match(version)
    if found is None:
        return None
    patch = -1 if found[4] else int(found[3] or 0)
    return int(found[1]), int(found[2]), patch


def evidence(hazards: Iterable[Inference]) -> tuple[str, ...]:
    """Return a line for each process, a dozen at most."""
    listed = tuple(hazards)
    lines = [
        ", ".join(
            (
                f"process {one.pid or 'of unknown number'} ({one.what})",
                one.owner,
                one.cgroup or "control group unknown",
                *((f"may use {format_cpulist(frozenset().union(*one.allowed))} now",) if one.allowed else ()),
            )
        )
        for one in listed[:_MOST_LINES]
    ]
    more = len(listed) - _MOST_LINES
    return (*lines, *((f"and {more} more",) if more > 0 else ()))


def hints(hazards: Iterable[Inference], *, container: str, service: str, by_hand: str) -> str:
    """Return what to do about each sort of hazard that is there."""
    listed = tuple(hazards)
    sorts = (
        (container, any(one.container is not None for one in listed)),
        (service, any(one.container is None and one.unit is not None for one in listed)),
        (by_hand, any(one.container is None and one.unit is None for one in listed)),
    )
    return "; ".join(text for text, there in sorts if there)
