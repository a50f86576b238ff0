"""The system's and the users' programs get the efficiency cores, inference.slice the performance cores: by cpusets.

Sources: systemd.resource-control(5), AllowedCPUs=; https://github.com/systemd/systemd/issues/23748 (init.scope is in
none of the slices); Documentation/admin-guide/cgroup-v2.rst, cpuset. A drop-in with daemon-reload alone does not change
the cores of a running unit (seen with systemd 257 on Linux 6.12), set-property does at once; it comes first, while
systemd still knows the property as it was.
"""

__all__ = ["CHANGE"]

from sparktune.host.changes._shared import cores_unknown, diff_of
from sparktune.host.cpulist import CpuSet, format_cpulist
from sparktune.host.facts.systemd import SystemdFacts
from sparktune.host.hazards import Inference, evidence, hints, inference_on, is_below
from sparktune.host.other_mode import mode_reads, mode_refusals
from sparktune.host.placement import Cores, cores_of
from sparktune.host.slice_checks import check_slices, not_effective
from sparktune.host.slice_units import (
    DROP_INS,
    FAST,
    SLOW,
    UNITS,
    at_boot,
    cpus_of_unit,
    drop_in_path,
    drop_in_text,
    read_later,
)
from sparktune.host.tasks import TASK_READS, tasks_of
from sparktune.host.unit_cpus import boot_cpus, unit_lines, unit_reads
from sparktune.model.host_plan import (
    ChangePlan,
    HostChange,
    HostView,
    PlannedStep,
    Refusal,
    TakesEffect,
)
from sparktune.model.node import NodeFacts
from sparktune.model.observed import State
from sparktune.model.profile import Mode, Profile
from sparktune.model.reads import Read, ReadNames
from sparktune.model.step import FileStep, PropertyStep, ReloadStep

_ID = "slices"
_PROPERTY = "AllowedCPUs"
_FAST_GROUP = f"/sys/fs/cgroup/{FAST}"
_WITHOUT = "--without slices"
_CONTAINER = (
    "containers: give the compose service cgroup_parent: inference.slice (docker run --cgroup-parent=inference.slice) "
    "and recreate it"
)
_SERVICE = "services: set Slice=inference.slice in a drop-in of the unit and restart it"
_BY_HAND = (
    "started by hand: start it again with sudo systemd-run --slice=inference.slice --uid=USER COMMAND (systemd-run "
    "--user stays below user.slice)"
)
_SLOWED = (
    "running inference is below a slice that gets the efficiency cores only; a container's own cpuset does not help: a "
    "group of which no core is granted has those of its parent"
)
_NOTES = (
    "machine.slice is left: virtual machines and Podman's containers live there, which may be inference",
    "threads of the kernel are in no slice: they stay where they are",
)


def _reads(facts: NodeFacts, profile: Profile) -> tuple[Read, ...]:
    if facts.get(SystemdFacts) is None:
        return ()
    if profile.mode is not Mode.SLICES:
        return mode_reads(DROP_INS)
    return (
        *mode_reads(DROP_INS),
        ReadNames(pattern=_FAST_GROUP),
        *(read for unit in UNITS for read in unit_reads(unit)),
        *TASK_READS,
    )


def _plan(view: HostView) -> ChangePlan:
    if view.profile.mode is not Mode.SLICES:
        return ChangePlan(refusals=mode_refusals(_ID, view, Mode.SLICES, DROP_INS))
    systemd, cores = view.facts.get(SystemdFacts), cores_of(view.facts)
    if systemd is None or cores.value is None:
        why = cores.why if systemd is not None else "systemd did not answer"
        return ChangePlan(refusals=(cores_unknown(_ID, why, _WITHOUT),))
    ineffective = _ineffective(systemd)
    if ineffective is not None:
        return ChangePlan(refusals=(ineffective,))
    spoiled = _spoiled(view, cores.value)
    live, files = _live_steps(view, systemd, cores.value), _file_steps(view, cores.value)
    waiting = _not_taken(systemd, cores.value)
    slowed = _slowed(view)
    if not live and not files:
        return ChangePlan(refusals=spoiled, notes=(*waiting, *_left_slow(slowed)))
    reload = (_reload(),) if files else ()
    refused = _refusal(slowed) if slowed and not view.profile.allow_slow else ()
    accepted = tuple(f"accepted, slowed: {line}" for line in evidence(slowed)) if view.profile.allow_slow else ()
    notes = (*waiting, *_NOTES, *_overruled(view, cores.value), *accepted)
    return ChangePlan(steps=(*live, *files, *reload), refusals=(*spoiled, *refused), notes=notes)


def _ineffective(systemd: SystemdFacts) -> Refusal | None:
    """Refuse where systemd would take the property and nobody would enforce it."""
    why = not_effective(systemd)
    hint = "--mode classic sets CPUAffinity= instead; systemd.unified_cgroup_hierarchy=1 boots cgroup version 2; or"
    return Refusal(change=_ID, reason=why, hint=f"{hint} {_WITHOUT}") if why else None


def _spoiled(view: HostView, cores: Cores) -> tuple[Refusal, ...]:
    """Refuse where a file that systemd reads after ours would make it other cores at boot."""
    found = []
    for unit in UNITS:
        lines = unit_lines(view.readings, unit)
        if lines.value is None:
            reason, hint = f"what {unit} gets at boot is not known: {lines.why}", f"ask as root, or {_WITHOUT}"
            found.append(Refusal(change=_ID, reason=reason, hint=hint))
        elif at_boot(lines.value, unit, cores).value != cpus_of_unit(unit, cores):
            last = read_later(lines.value, unit)[-1]
            reason = f"{last.path} is read after the drop-in of this change and changes it: AllowedCPUs={last.value}"
            found.append(Refusal(change=_ID, reason=reason, hint=f"take that line away, or {_WITHOUT}"))
    return tuple(found)


def _runs(view: HostView, systemd: SystemdFacts) -> bool:
    """Whether anything is in inference.slice; the first unit in a slice gets it the cores of its files."""
    there = view.readings.names.get(_FAST_GROUP, ())
    return bool(there) or systemd.slice_cpus(FAST).effective.state is not State.ABSENT


def _live_steps(view: HostView, systemd: SystemdFacts, cores: Cores) -> tuple[PlannedStep, ...]:
    """Return the steps for units that run. Nobody may have asked for cpusets yet: their files appear with the first."""
    found = []
    for unit in UNITS:
        now, wanted = systemd.slice_cpus(unit), cpus_of_unit(unit, cores)
        known = now.allowed.state is not State.UNREADABLE
        right = now.allowed.value == wanted or (not known and now.effective.value == wanted)
        if right or (unit == FAST and not _runs(view, systemd)):
            continue
        text = format_cpulist(wanted)
        found.append(
            PlannedStep(
                change=_ID,
                target=unit,
                before=format_cpulist(now.effective.value or cores.online),
                after=text,
                takes_effect=TakesEffect.LIVE,
                step=PropertyStep(
                    unit=unit,
                    name=_PROPERTY,
                    value=text,
                    expect={f"{unit} {_PROPERTY}": _shown(now.allowed.value)} if known else {},
                ),
            )
        )
    return tuple(found)


def _shown(cpus: CpuSet | None) -> str | None:
    return format_cpulist(cpus) if cpus else None


def _not_taken(systemd: SystemdFacts, cores: Cores) -> tuple[str, ...]:
    """Say where systemd has the property already and the control group other cores: to set it again is no change."""
    found = []
    for unit in UNITS:
        now, wanted = systemd.slice_cpus(unit), cpus_of_unit(unit, cores)
        if now.allowed.value == wanted and now.effective.value not in {None, wanted}:
            setting = f"AllowedCPUs={format_cpulist(wanted)}"
            found.append(
                f"systemd has {setting} for {unit} already, its control group has "
                f"{format_cpulist(now.effective.value or frozenset())}: reboot, or sudo systemctl set-property "
                f"--runtime {unit} {setting}"
            )
    return tuple(found)


def _file_steps(view: HostView, cores: Cores) -> tuple[PlannedStep, ...]:
    found = []
    for unit in UNITS:
        lines = unit_lines(view.readings, unit).value
        if lines is None or boot_cpus(lines).value == cpus_of_unit(unit, cores):
            continue
        path, text = drop_in_path(unit), drop_in_text(unit, cores)
        before = view.readings.file(path).value
        found.append(
            PlannedStep(
                change=_ID,
                target=path,
                before="no file" if before is None else "another text",
                after=f"{unit} gets {format_cpulist(cpus_of_unit(unit, cores))} at every boot",
                takes_effect=TakesEffect.LIVE,
                step=FileStep(path=path, text=text, expect={path: before}),
                diff=diff_of(path, before, text),
            )
        )
    return tuple(found)


def _reload() -> PlannedStep:
    return PlannedStep(
        change=_ID,
        target="systemd",
        before="",
        after="reads its unit files again",
        takes_effect=TakesEffect.LIVE,
        step=ReloadStep(manager="systemd"),
    )


def _slowed(view: HostView) -> tuple[Inference, ...]:
    inference = inference_on(view.facts, view.profile, tasks_of(view.readings))
    return tuple(one for one in inference if not one.cgroup or is_below(one.cgroup, SLOW))


def _refusal(slowed: tuple[Inference, ...]) -> tuple[Refusal, ...]:
    todo = hints(slowed, container=_CONTAINER, service=_SERVICE, by_hand=_BY_HAND)
    return (
        Refusal(
            change=_ID,
            reason=_SLOWED,
            hint=f"first {todo}, then plan again; or accept it with --allow-slow",
            evidence=evidence(slowed),
            allow="--allow-slow",
        ),
    )


def _left_slow(slowed: tuple[Inference, ...]) -> tuple[str, ...]:
    """Say what no step of a plan helps: inference that was accepted on slow cores, and still is there."""
    if not slowed:
        return ()
    todo = hints(slowed, container=_CONTAINER, service=_SERVICE, by_hand=_BY_HAND)
    return (*(f"slowed: {line}" for line in evidence(slowed)), f"no step helps these: {todo}")


def _overruled(view: HostView, cores: Cores) -> tuple[str, ...]:
    """Say which settings of others lose at boot; their files stay as they are."""
    said = []
    for unit in UNITS:
        lines = unit_lines(view.readings, unit).value or ()
        mine = (drop_in_path(unit), *(one.path for one in read_later(lines, unit)))
        others = tuple(one for one in lines if one.path not in mine)
        if others and boot_cpus(others).value not in {None, cpus_of_unit(unit, cores)}:
            last = others[-1]
            said.append(f"{last.path} sets AllowedCPUs={last.value}: it stays, and no longer counts at boot")
    return tuple(said)


CHANGE = HostChange(
    id=_ID,
    title="Cores of the system's slices",
    does="gives system.slice, user.slice and init.scope the efficiency cores and inference.slice the performance "
    "cores, now and at every boot",
    does_not="move inference into inference.slice, threads of the kernel, interrupts, or anything in machine.slice",
    effect="none measured",
    source="systemd.resource-control(5); the kernel's cgroup-v2.rst",
    order=200,
    plan=_plan,
    verify=check_slices,
    reads=_reads,
)
