"""Running inference that would get efficiency cores only, started again under a ``CPUAffinity=`` of systemd.

Sources: sched_setaffinity(2), inheritance; cpuset(7): a thread in a cpuset keeps what its mask and the cpuset have in
common, all of the cpuset when that is nothing; https://github.com/opencontainers/runc issues 4814, 4858, 5023.
"""

__all__ = ["refusals_of"]

from collections.abc import Iterable, Iterator

from sparktune.host.cpulist import CpuSet, format_cpulist, parse_cpulist
from sparktune.host.facts.containers import Container, ContainerFacts
from sparktune.host.facts.kernel import KernelFacts
from sparktune.host.hazards import Inference, container_keeps_affinity, evidence, hints, inference_on
from sparktune.host.placement import Cores
from sparktune.host.tasks import Tasks
from sparktune.model.host_plan import HostView, Refusal
from sparktune.model.node import NodeFacts
from sparktune.model.observed import present


def refusals_of(change: str, view: HostView, cores: Cores, tasks: Tasks) -> tuple[tuple[Refusal, ...], tuple[str, ...]]:
    """Return what to refuse, and what to say of the rest."""
    keeps = container_keeps_affinity(view.facts)
    running = inference_on(view.facts, view.profile, tasks)
    slowed = tuple(one for one in running if _is_slowed(one, cores, keeps=keeps))
    notes = tuple(_free(running, keeps=keeps)) + tuple(_stopped(view, keeps=keeps))
    if view.profile.allow_slow:
        return (), (*(f"accepted, slowed when started again: {line}" for line in evidence(slowed)), *notes)
    return (_refusal(change, view.facts, slowed, cores, keeps=keeps) if slowed else ()), notes


def _is_slowed(one: Inference, cores: Cores, *, keeps: bool | None) -> bool:
    own_mask = bool(one.allowed) and all(cpus <= cores.performance for cpus in one.allowed)
    if one.container is None or not (one.container.name or one.container.image):
        return not own_mask  # of a container that Docker does not know, its threads are all there is to go by
    if keeps is False:
        return False
    cpuset = _cpuset(one.container)
    return not cpuset or bool(cpuset & cores.efficiency and cpuset & cores.performance)


def _cpuset(container: Container) -> CpuSet:
    return present(container.cpuset).map(parse_cpulist).value or frozenset()


def _refusal(
    change: str, facts: NodeFacts, slowed: tuple[Inference, ...], cores: Cores, *, keeps: bool | None
) -> tuple[Refusal, ...]:
    fast = format_cpulist(cores.performance)
    todo = hints(
        slowed,
        container=f'containers: set cpuset: "{fast}" for the compose service and recreate it (a restart keeps the old '
        "one)",
        service=f"services: set CPUAffinity={fast.replace(',', ' ')} in a drop-in of the unit and restart it",
        by_hand=f"started by hand: start it with taskset -c {fast} COMMAND",
    )
    reason = f"running inference would get the efficiency cores {format_cpulist(cores.efficiency)} only"
    if any(one.container is not None for one in slowed):
        reason += f"; containers: {_known_of_containers(facts, keeps=keeps)}"
    return (
        Refusal(
            change=change,
            reason=reason,
            hint=f"first {todo}, then plan again; or accept it with --allow-slow",
            evidence=evidence(slowed),
            allow="--allow-slow",
        ),
    )


def _known_of_containers(facts: NodeFacts, *, keeps: bool | None) -> str:
    kernel = facts.get(KernelFacts)
    release = (kernel.release.value if kernel is not None else None) or "of unknown version"
    runc = (kernel.runc.value if kernel is not None else None) or "of unknown version"
    versions = f"kernel {release}, runc {runc}"
    if keeps:
        return f"{versions}: one without a cpuset keeps the mask that it inherits"
    return (
        f"{versions}: whether one without a cpuset keeps the mask that it inherits is not known (since Linux 6.2 it "
        "does, unless runc resets it); only Cpus_allowed_list of its threads tells"
    )


def _free(running: Iterable[Inference], *, keeps: bool | None) -> Iterator[str]:
    if keeps is not False:
        return
    names = {one.owner for one in running if one.container is not None and not one.container.cpuset}
    for name in sorted(names):
        yield f"{name} has no cpuset: by kernel and runc it gets all cores, and shares them with every other container"


def _stopped(view: HostView, *, keeps: bool | None) -> Iterator[str]:
    if keeps is False:
        return
    for one in (view.facts.get(ContainerFacts) or ContainerFacts()).containers:
        counts = one.engine is not None or one.name in view.profile.containers
        if counts and not one.running and not one.cpuset:
            yield f"container {one.name} does not run now and has no cpuset: it may start on efficiency cores only"
