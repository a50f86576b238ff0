"""The CPUs that a process's control groups leave it, and who has to be asked for more.

Sources: proc(5) for /proc/PID/cpuset, the group whose CPUs count; Documentation/admin-guide/cgroup-v2.rst,
cpuset.cpus.effective; cgroup-v1/cpusets.rst, cpuset.effective_cpus. sched_setaffinity(2) leaves out what is outside of
them without a word, and fails when nothing is left.
"""

__all__ = ["cpuset_reads", "group_of", "group_reads", "groups_of", "limit_of", "restricting", "widen_hint"]

import re
from collections.abc import Iterable, Sequence

from sparktune.host.cpulist import CpuSet, format_cpulist, parse_cpulist
from sparktune.model.pin import CgroupCpus
from sparktune.model.reads import Read, ReadFile, Readings

_LAYOUTS = ("/sys/fs/cgroup{}/cpuset.cpus.effective", "/sys/fs/cgroup/cpuset{}/cpuset.effective_cpus")
_DOCKER = re.compile(r"/docker[-/](?P<id>[0-9a-f]{12})[0-9a-f]*(?:\.scope)?", re.ASCII)
_UNIT = re.compile(r"(?P<unit>[^/]+\.(?:service|slice|scope))$")
_SHOWN = 12


def cpuset_reads(pids: Iterable[int]) -> tuple[Read, ...]:
    """Return what tells the control group of each process."""
    return tuple(ReadFile(path=f"/proc/{pid}/{name}") for pid in pids for name in ("cpuset", "cgroup"))


def group_of(pid: int, readings: Readings) -> str:
    """Return the group whose CPUs count for a process, "" where nothing tells it."""
    cpuset = (readings.file(f"/proc/{pid}/cpuset").value or "").strip()
    if cpuset.startswith("/"):
        return cpuset
    cgroup = (readings.file(f"/proc/{pid}/cgroup").value or "").strip()
    return cgroup.removeprefix("0::") if cgroup.startswith("0::/") else ""


def group_reads(groups: Iterable[str]) -> tuple[Read, ...]:
    """Return what tells the CPUs of groups, and of those above them."""
    paths = {one for group in groups for one in _line(group)}
    return tuple(ReadFile(path=layout.format(path)) for path in sorted(paths) for layout in _LAYOUTS)


def groups_of(group: str, readings: Readings) -> tuple[CgroupCpus, ...]:
    """Return a group and those above it, the highest first, as far as they tell their CPUs."""
    found = []
    for path in _line(group):
        texts = [readings.file(layout.format(path)).value for layout in _LAYOUTS]
        text = next((one for one in texts if one and one.strip()), "")
        try:
            cpus = parse_cpulist(text)
        except ValueError:
            continue
        found += [CgroupCpus(path=path or "/", cpus=cpus)] if cpus else []
    return tuple(found)


def limit_of(groups: Sequence[CgroupCpus], online: CpuSet) -> CpuSet:
    """Return the CPUs that a process may have: those of the lowest group that tells, else all that are online."""
    return groups[-1].cpus if groups else online


def restricting(groups: Sequence[CgroupCpus], cpus: CpuSet) -> CgroupCpus | None:
    """Return the highest group that leaves out some of these CPUs: the one to be widened first."""
    return next((group for group in groups if not cpus <= group.cpus), None)


def widen_hint(group: CgroupCpus, cpus: CpuSet) -> str:
    """Say how a group gets these CPUs as well, by who made it."""
    wanted = format_cpulist(group.cpus | cpus)
    docker = _DOCKER.search(group.path)
    if docker is not None:
        return (
            f'widen the container\'s cpuset: in compose cpuset: "{wanted}" of its service, else --cpuset-cpus {wanted} '
            f"where it is started; live: docker update --cpuset-cpus {wanted} {docker['id']}"
        )
    if "libpod-" in group.path:
        return f"widen the container's cpuset: --cpuset-cpus {wanted} where podman starts it"
    unit = _UNIT.search(group.path)
    if unit is not None:
        return (
            f"widen AllowedCPUs= of {unit['unit']} to {wanted} (systemctl show -p AllowedCPUs tells it); where "
            "the host profile set it, decide what is to have these cores"
        )
    return f"widen the cpuset of the control group {group.path} to {wanted}"


def _line(group: str) -> tuple[str, ...]:
    """Return the paths from the root, "", down to a group."""
    pieces = [piece for piece in group.split("/") if piece]
    return tuple("/".join(("", *pieces[:count])) for count in range(len(pieces) + 1))
