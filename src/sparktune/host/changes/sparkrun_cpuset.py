"""Containers that sparkrun starts: how to give them the performance cores at each launch; nothing is edited.

Source: that of host/sparkrun.py.
"""

__all__ = ["CHANGE"]

import re

from sparktune.host.compose_files import cgroup_driver
from sparktune.host.container_cpus import CONTAINER_READS, SLICE, check_container, is_inference, live_containers
from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.containers import Container, ContainerFacts
from sparktune.host.placement import Cores, cores_of
from sparktune.host.sparkrun import executor_arguments, is_sparkrun
from sparktune.model.host_plan import ChangePlan, CheckStatus, HostChange, HostCheck, HostView
from sparktune.model.node import NodeFacts
from sparktune.model.profile import Mode, Profile
from sparktune.model.reads import Read

_ID = "sparkrun-cpuset"
_RECIPE = re.compile(r"[A-Za-z0-9@_./][A-Za-z0-9@_./:-]{0,100}", re.ASCII)


def _reads(facts: NodeFacts, profile: Profile) -> tuple[Read, ...]:
    return CONTAINER_READS if _started(facts, profile) else ()


def _started(facts: NodeFacts, profile: Profile) -> tuple[Container, ...]:
    known = (facts.get(ContainerFacts) or ContainerFacts()).containers
    return tuple(one for one in known if one.running and is_sparkrun(one) and is_inference(one, profile))


def _plan(view: HostView) -> ChangePlan:
    cores = cores_of(view.facts).value
    if cores is None:
        return ChangePlan()
    return ChangePlan(notes=tuple(_note(view, one, cores) for one in _started(view.facts, view.profile)))


def _note(view: HostView, container: Container, cores: Cores) -> str:
    label = container.labels.get("sparkrun.recipe", "")
    recipe = label if _RECIPE.fullmatch(label) else "RECIPE"
    return (
        f"container {container.name} was started by sparkrun: `sparkrun run {recipe} {_option(view, cores)}` gives it "
        "these cores; sparkrun does not record the option, so that every launch needs it, and ignores cpuset_cpus in "
        "a recipe"
    )


def _option(view: HostView, cores: Cores) -> str:
    below_slices = view.profile.mode is Mode.SLICES and cgroup_driver(view).value != "cgroupfs"
    parent = SLICE if below_slices else ""
    return executor_arguments(format_cpulist(cores.performance), parent)


def _verify(view: HostView) -> tuple[HostCheck, ...]:
    if view.applied_boot is None or not _started(view.facts, view.profile):
        return ()
    cores = cores_of(view.facts)
    if cores.value is None:
        return (
            HostCheck(
                change=_ID,
                target="containers of sparkrun",
                wanted="performance cores",
                effective="",
                status=CheckStatus.UNREADABLE,
                why=cores.why,
            ),
        )
    hint = f"launch it with {_option(view, cores.value)}"
    fast = cores.value.performance
    running = [live for live in live_containers(view) if is_sparkrun(live.container)]
    return tuple(check for live in running for check in check_container(_ID, live, fast, view.profile, hint))


CHANGE = HostChange(
    id=_ID,
    title="Containers that sparkrun starts",
    does="says with which option sparkrun's containers get the performance cores at their next launch, and looks at "
    "each thread of those that run",
    does_not="edit recipes or sparkrun's own files: neither has a place for a cpuset",
    effect="none measured",
    source="https://github.com/spark-arena/sparkrun 0.4.2, run --executor-args",
    order=120,
    plan=_plan,
    verify=_verify,
    reads=_reads,
)
