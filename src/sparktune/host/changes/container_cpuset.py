"""Running inference containers get the performance cores as their cpuset, at once.

Sources: docker-update(1), --cpuset-cpus; Docker Engine API, ContainerUpdate: an empty ``CpusetCpus`` changes nothing,
so that a cpuset cannot be taken away again. Documentation/admin-guide/cgroup-v2.rst, cpuset: below a slice that has no
fast core a container's own cpuset is of no use.
"""

__all__ = ["CHANGE"]

from collections.abc import Iterator

from sparktune.host.changes._shared import cores_unknown
from sparktune.host.container_cpus import (
    CONTAINER_READS,
    SLICE,
    LiveContainer,
    check_container,
    is_inference,
    is_inside,
    live_containers,
    slices_confine,
    slices_grant,
)
from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.containers import ContainerFacts
from sparktune.host.facts.processes import ProcessFacts
from sparktune.host.placement import Cores, cores_of
from sparktune.host.sparkrun import is_sparkrun
from sparktune.model.host_plan import ChangePlan, CheckStatus, HostChange, HostCheck, HostView, PlannedStep, TakesEffect
from sparktune.model.node import NodeFacts
from sparktune.model.observed import State
from sparktune.model.profile import Mode, Profile
from sparktune.model.reads import Read
from sparktune.model.step import ContainerStep

_ID = "container-cpuset"
_SPARKRUN = "sparkrun-cpuset"  # looks at the containers that sparkrun started
_HINT = "docker update --cpuset-cpus sets it live; its compose file or command has to say it for the next container"


def _reads(facts: NodeFacts, profile: Profile) -> tuple[Read, ...]:
    containers = (facts.get(ContainerFacts) or ContainerFacts()).containers
    return CONTAINER_READS if any(is_inference(one, profile) and one.running for one in containers) else ()


def _plan(view: HostView) -> ChangePlan:
    notes = tuple(_unseen(view))
    running = live_containers(view)
    if not running:
        return ChangePlan(notes=notes)
    cores = cores_of(view.facts)
    if cores.value is None:
        return ChangePlan(refusals=(cores_unknown(_ID, cores.why, f"--without {_ID}"),), notes=notes)
    steps = tuple(step for live in running for step in _steps(view, live, cores.value))
    left = tuple(note for live in running for note in _left(view, live, cores.value))
    return ChangePlan(steps=steps, notes=(*notes, *left, *(_undoing(steps, cores.value))))


def _unseen(view: HostView) -> Iterator[str]:
    facts = view.facts.get(ContainerFacts)
    if facts is not None and facts.runtime.state is State.UNREADABLE:
        yield f"containers are not known, and left: docker does not answer ({facts.runtime.why})"
    processes = (view.facts.get(ProcessFacts) or ProcessFacts()).processes
    if any("libpod-" in (one.cgroup.value or "") for one in processes):
        yield "not covered: containers of Podman; give them --cpuset-cpus when they are started"
    there = {one.name for one in facts.containers if one.running} if facts is not None else set()
    for name in view.profile.containers:
        if name not in there:
            yield f"no container {name} runs here"


def _needs(view: HostView, live: LiveContainer, cores: Cores) -> bool:
    given = is_inside(live.container.cpuset, cores.performance)
    return not given and not slices_grant(live.cgroup, view.profile)


def _steps(view: HostView, live: LiveContainer, cores: Cores) -> Iterator[PlannedStep]:
    container = live.container
    if not _needs(view, live, cores) or not container.id or _out_of_reach(view, live):
        return
    cpus = format_cpulist(cores.performance)
    yield PlannedStep(
        change=_ID,
        target=f"container {container.name}",
        before=container.cpuset or "no cpuset",
        after=cpus,
        takes_effect=TakesEffect.LIVE,
        step=ContainerStep(
            container=container.id,
            cpus=cpus,
            all_cpus=format_cpulist(cores.online),
            expect={container.id: container.cpuset},
        ),
    )


def _out_of_reach(view: HostView, live: LiveContainer) -> str:
    """Say why a cpuset of its own would not help a container; empty when it would."""
    if slices_confine(live.cgroup, view.profile):
        return f"below {live.cgroup} it gets efficiency cores only, whatever its own cpuset is"
    if view.profile.mode is Mode.SLICES and not live.cgroup:
        return "its control group is not known, and may be one that gets efficiency cores only"
    return ""


def _left(view: HostView, live: LiveContainer, cores: Cores) -> Iterator[str]:
    why = _out_of_reach(view, live) if _needs(view, live, cores) else ""
    if why:
        yield f"container {live.container.name} is left: {why}; create it again with cgroup_parent: {SLICE}"


def _undoing(steps: tuple[PlannedStep, ...], cores: Cores) -> tuple[str, ...]:
    if not any(isinstance(one.step, ContainerStep) and one.before == "no cpuset" for one in steps):
        return ()
    every = format_cpulist(cores.online)
    note = (
        f"docker cannot take a cpuset away again: a revert gives a container that had none all online CPUs ({every}), "
        "and it keeps that text until it is created anew"
    )
    return (note,)


def _verify(view: HostView) -> tuple[HostCheck, ...]:
    if view.applied_boot is None:
        return ()
    facts = view.facts.get(ContainerFacts)
    if facts is not None and facts.runtime.state is State.UNREADABLE:
        return (_check("containers", "", CheckStatus.UNREADABLE, facts.runtime.why),)
    running = [live for live in live_containers(view) if _is_ours(view, live)]
    cores = cores_of(view.facts)
    if cores.value is None:
        return (_check("containers", "", CheckStatus.UNREADABLE, cores.why),) if running else ()
    fast, profile = cores.value.performance, view.profile
    return tuple(check for live in running for check in check_container(_ID, live, fast, profile, _way(view, live)))


def _way(view: HostView, live: LiveContainer) -> str:
    """Say how a container gets the cores: below a slice without them, a cpuset of its own is no way."""
    why = _out_of_reach(view, live)
    return f"{why}: create it again with cgroup_parent: {SLICE}" if why else _HINT


def _is_ours(view: HostView, live: LiveContainer) -> bool:
    return _SPARKRUN in view.profile.without or not is_sparkrun(live.container)


def _check(target: str, effective: str, status: CheckStatus, why: str) -> HostCheck:
    wanted = "performance cores"
    return HostCheck(change=_ID, target=target, wanted=wanted, effective=effective, status=status, why=why)


CHANGE = HostChange(
    id=_ID,
    title="Running inference containers",
    does="sets the cpuset of running containers of inference engines, and of those that the profile names, to the "
    "performance cores",
    does_not="reach what is created later (its compose file or command has to say it), containers of Podman, or a "
    "container below a slice without performance cores",
    effect="none measured; other work no longer shares its cores only where that is moved, too",
    source="docker-update(1); the kernel's cgroup-v2.rst, cpuset",
    order=110,
    plan=_plan,
    verify=_verify,
    reads=_reads,
)
