"""Inference containers and their cores: what they were given, what their group leaves, what each thread may use.

Sources: Docker Engine API, HostConfig.CpusetCpus; Documentation/admin-guide/cgroup-v2.rst, cpuset.cpus.effective: a
group that asks for cores of which its parent has none gets its parent's; proc(5), Cpus_allowed_list of every thread.
"""

__all__ = [
    "CONTAINER_READS",
    "SLICE",
    "LiveContainer",
    "check_container",
    "is_inference",
    "is_inside",
    "live_containers",
    "slices_confine",
    "slices_grant",
]

from dataclasses import dataclass

from sparktune.host.cpulist import CpuSet, format_cpulist, parse_cpulist
from sparktune.host.facts.containers import Container, ContainerFacts
from sparktune.host.facts.processes import InferenceProcess, ProcessFacts
from sparktune.host.hazards import is_below
from sparktune.host.tasks import TASK_READS, Tasks, tasks_of
from sparktune.model.host_plan import CheckStatus, HostCheck, HostView
from sparktune.model.observed import Observed, absent, present
from sparktune.model.profile import Mode, Profile
from sparktune.model.reads import Read, ReadFiles

# Where Docker puts containers: with systemd as its driver of control groups, and without
_GROUPS = tuple(f"/sys/fs/cgroup/{place}/cpuset.cpus.effective" for place in ("*/docker-*.scope", "docker/*"))
CONTAINER_READS: tuple[Read, ...] = (*TASK_READS, *(ReadFiles(pattern=pattern) for pattern in _GROUPS))
SLICE = "inference.slice"
_SLOW = ("system.slice", "user.slice", "init.scope")
_SLICES = "slices"  # the change that gives these units their cores
_LONGEST_CPUSET = 1000
_MOST_NAMED = 3
_Found = tuple[str, str, CheckStatus, str]  # what was looked at, what it is, how that is, why


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveThread:
    """One thread of a container. ``owner`` is its process, in words."""

    tid: int
    name: str
    owner: str
    allowed: Observed[CpuSet]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveContainer:
    """A container that runs now. ``cgroup`` is empty when unknown; ``effective`` what that group leaves it."""

    container: Container
    cgroup: str
    effective: Observed[CpuSet]
    threads: tuple[LiveThread, ...]


def is_inference(container: Container, profile: Profile) -> bool:
    """Whether a container is one of an engine, or one that the profile names."""
    return container.engine is not None or container.name in profile.containers


def is_inside(cpuset: str, cores: CpuSet) -> bool:
    """Whether a cpuset (as text) names cores, and none but these."""
    cpus = present(cpuset).map(parse_cpulist).value if len(cpuset) <= _LONGEST_CPUSET else None
    return bool(cpus) and (cpus or frozenset()) <= cores


def slices_confine(cgroup: str, profile: Profile) -> bool:
    """Whether the profile leaves a control group the efficiency cores only, whatever its own cpuset says."""
    return profile.mode is Mode.SLICES and _SLICES not in profile.without and is_below(cgroup, _SLOW)


def slices_grant(cgroup: str, profile: Profile) -> bool:
    """Whether the profile gives a control group the performance cores, and none but these."""
    return profile.mode is Mode.SLICES and _SLICES not in profile.without and is_below(cgroup, (SLICE,))


def live_containers(view: HostView) -> tuple[LiveContainer, ...]:
    """Return the inference containers that run, by name; the view has the answers to ``CONTAINER_READS``."""
    known = (view.facts.get(ContainerFacts) or ContainerFacts()).containers
    meant = [one for one in known if one.declared_in is None and one.running and is_inference(one, view.profile)]
    tasks = tasks_of(view.readings) if meant else Tasks()
    return tuple(_live(view, one, tasks) for one in meant)


def _live(view: HostView, container: Container, tasks: Tasks) -> LiveContainer:
    processes = [
        one
        for one in (view.facts.get(ProcessFacts) or ProcessFacts()).processes
        if (container.id and one.container == container.id) or (container.pid and one.pid == container.pid)
    ]
    named = next((one.cgroup.value for one in processes if one.cgroup.value), "")
    cgroup = named or tasks.cgroups.get(container.pid or 0, "")
    return LiveContainer(
        container=container,
        cgroup=cgroup,
        effective=_effective(view, cgroup, processes),
        threads=tuple(_threads(container, processes, tasks).values()),
    )


def _effective(view: HostView, cgroup: str, processes: list[InferenceProcess]) -> Observed[CpuSet]:
    """Return the cores of a control group: of its own file, or as the processes in it have them."""
    path = f"/sys/fs/cgroup{cgroup}/cpuset.cpus.effective"
    files = (view.readings.matching(pattern).get(path) for pattern in _GROUPS)
    own = next((text for text in files if text is not None), None)
    if own is not None:
        return own.map(parse_cpulist)
    return next((one.cpuset for one in processes if one.cpuset.value is not None), absent())


def _threads(container: Container, processes: list[InferenceProcess], tasks: Tasks) -> dict[int, LiveThread]:
    """Return every thread that is known, by number: those of engines, and any other program's in the container."""
    inside = {pid for pid, cgroup in tasks.cgroups.items() if container.id and container.id in cgroup}
    names = tasks.names()
    found = {
        task.tid: LiveThread(
            tid=task.tid, name=task.name, owner=f"{task.pid} {names[task.pid]}", allowed=present(task.allowed)
        )
        for task in tasks.tasks
        if task.pid in inside or task.pid == container.pid
    }
    for process in processes:
        owner = f"{process.pid} {process.engine} {process.role}"
        for thread in process.threads:
            found[thread.tid] = LiveThread(tid=thread.tid, name=thread.name, owner=owner, allowed=thread.allowed)
    return dict(sorted(found.items()))


def check_container(
    change: str, live: LiveContainer, cores: CpuSet, profile: Profile, hint: str
) -> tuple[HostCheck, ...]:
    """Return what a container was given, what it has, and what each thread may use; ``hint`` is the way to a cpuset."""
    found = (_given(live, cores, profile, hint), _granted(live, cores), _of_threads(live, cores))
    return tuple(
        HostCheck(
            change=change,
            target=f"container {live.container.name}: {what}",
            wanted=format_cpulist(cores),
            effective=effective,
            status=status,
            why=why,
        )
        for what, effective, status, why in found
    )


def _given(live: LiveContainer, cores: CpuSet, profile: Profile, hint: str) -> _Found:
    cpuset = live.container.cpuset
    if is_inside(cpuset, cores):
        return "cpuset", cpuset, CheckStatus.OK, ""
    if slices_grant(live.cgroup, profile):
        return "cpuset", f"{cpuset or 'none'}, in {SLICE}", CheckStatus.OK, ""
    return "cpuset", cpuset or "none", CheckStatus.DIFFERENT if cpuset else CheckStatus.ABSENT, hint


def _granted(live: LiveContainer, cores: CpuSet) -> _Found:
    effective = live.effective.value
    if effective is None:
        why = live.effective.why or "the cores of its control group were not found"
        return "control group", "", CheckStatus.UNREADABLE, why
    if effective <= cores:
        return "control group", format_cpulist(effective), CheckStatus.OK, ""
    where = f"{live.cgroup or 'its control group'} leaves it these cores"
    return "control group", format_cpulist(effective), CheckStatus.DIFFERENT, where


def _of_threads(live: LiveContainer, cores: CpuSet) -> _Found:
    known = [(one, one.allowed.value) for one in live.threads if one.allowed.value]
    outside = [_named(one, cpus) for one, cpus in known if not cpus <= cores]
    union = format_cpulist(frozenset[int]().union(*(cpus for _, cpus in known)))
    count = len(live.threads)
    what = f"{count} thread" if count == 1 else f"{count} threads"
    if outside:
        more = len(outside) - _MOST_NAMED
        why = "; ".join(outside[:_MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")
        return what, union, CheckStatus.DIFFERENT, why
    if len(known) == count > 0:
        return what, union, CheckStatus.OK, ""
    why = f"{count - len(known)} of them could not be read" if count else "no thread of it was found"
    return what, union, CheckStatus.UNREADABLE, why


def _named(thread: LiveThread, cpus: CpuSet) -> str:
    return f"thread {thread.tid} ({thread.name}) of process {thread.owner} may use {format_cpulist(cpus)}"
