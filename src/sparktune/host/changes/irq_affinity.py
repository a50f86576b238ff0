"""Interrupts of the GPU, the ConnectX and listed devices go to the cores that the profile names, vector by vector.

Sources: Documentation/core-api/irq/irq-affinity.rst for ``smp_affinity_list`` and ``effective_affinity_list``;
kernel/irq/manage.c for managed interrupts, which no write moves (EPERM, EIO before Linux 6.13); isolcpus=managed_irq in
kernel-parameters.txt; drivers/irqchip/irq-gic-v3-its.c, whose vectors target one CPU each, at once; on x86 a vector
moves with its next interrupt (irq_set_affinity, IRQD_MOVE_PCNTXT).
"""

__all__ = ["CHANGE"]

from collections import Counter
from collections.abc import Iterable

from sparktune.host.changes._shared import cores_unknown, counted, join
from sparktune.host.conflicts import managed_by_tuned, tuned_reads
from sparktune.host.cpulist import CpuSet, format_cpulist
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.interrupts import InterruptFacts, MsiDevice, MsiVector, likely_managed
from sparktune.host.facts.irq_services import IrqServicesFacts
from sparktune.host.irq_targets import (
    Place,
    Placement,
    Targets,
    needs_move,
    place_interrupts,
    place_of,
    targets_of,
    vector_name,
)
from sparktune.model.host_plan import (
    ChangePlan,
    CheckStatus,
    HostChange,
    HostCheck,
    HostView,
    PlannedStep,
    Refusal,
    TakesEffect,
)
from sparktune.model.observed import State
from sparktune.model.profile import IrqPolicy
from sparktune.model.step import IrqStep

_ID = "irq-affinity"
# TuneD's scheduler moves interrupts off its isolated_cores, too, unless irq_process=0
_OF_TUNED = (("irq", "*"), ("scheduler", "isolated_cores"), ("scheduler", "default_irq_smp_affinity"))
_MANAGED = "the kernel places it and refuses every write; only isolcpus=managed_irq,CPUS at boot keeps it off CPUs"
_LATER = "the request is right; on this interrupt controller the vector moves with its next interrupt"
_ELSEWHERE = "the request is right, but the interrupt controller serves it elsewhere"


def _plan(view: HostView) -> ChangePlan:
    if view.profile.irq is IrqPolicy.LEAVE:
        return ChangePlan()
    facts = view.facts.get(InterruptFacts)
    targets = targets_of(facts, view.profile)
    if facts is None or targets.value is None:
        return ChangePlan(
            notes=(f"interrupts are left: their devices could not be listed ({targets.why or 'no answer'})",)
        )
    wrong = _not_there(targets.value)
    vectors = sum(len(device.vectors) for device in targets.value.devices)
    if wrong or not vectors:
        return ChangePlan(refusals=wrong, notes=() if wrong else (_nothing(targets.value),))
    placement = place_interrupts(view.facts, view.profile.irq)
    if placement.value is None:
        return ChangePlan(refusals=(cores_unknown(_ID, placement.why, "--irq leave, or --without irq-affinity"),))
    if not any(needs_move(device, placement.value) for device in targets.value.devices):
        return ChangePlan(notes=tuple(_notes(view, facts, targets.value)))
    refusals = managed_by_tuned(view, _ID, *_OF_TUNED)
    step = () if refusals else (_step(targets.value.devices, placement.value),)
    return ChangePlan(steps=step, refusals=refusals, notes=tuple(_notes(view, facts, targets.value)))


def _not_there(targets: Targets) -> tuple[Refusal, ...]:
    """Refuse addresses that name nothing: skipping a misspelt one in silence would look like success."""
    said = [f"{text!r} is no PCI address" for text in targets.wrong]
    said += [f"{address} is not on the PCI bus" for address in targets.missing]
    hint = "write it as lspci -D shows it, or leave it out for this node; a ConnectX without a cable may be unplugged"
    return tuple(Refusal(change=_ID, reason=f"a listed device is missing: {text}", hint=hint) for text in said)


def _nothing(targets: Targets) -> str:
    if not targets.devices:
        return "no interrupts to move: no NVIDIA GPU and no ConnectX on the PCI bus"
    names = join(device.address for device in targets.devices)
    return f"no interrupts to move: {names} have no MSI vectors now (is the driver loaded?)"


def _step(devices: tuple[MsiDevice, ...], placement: Placement) -> PlannedStep:
    there = [device for device in devices if device.vectors]
    vectors = {vector_name(device, place): one for device in there for place, one in enumerate(device.vectors)}
    expect = {
        name: format_cpulist(one.requested.value) for name, one in vectors.items() if one.requested.value is not None
    }
    cpus = format_cpulist(frozenset(placement.cpus))
    return PlannedStep(
        change=_ID,
        target=f"{counted(len(vectors), 'interrupt vector')} of {', '.join(device.address for device in there)}",
        before=_tally(expect.values()),
        after=f"one CPU each of {_in_order(placement.cpus)}" if placement.spread else cpus,
        takes_effect=TakesEffect.LIVE,
        step=IrqStep(
            devices=tuple(device.address for device in there),
            cpus=placement.cpus,
            spread=placement.spread,
            fixed=tuple(name for name, one in vectors.items() if likely_managed(one.name)),
            expect=expect,
        ),
    )


def _tally(lists: Iterable[str]) -> str:
    """Return the lists of CPUs with how often each occurs, the most frequent first."""
    counts = Counter(lists).most_common()
    return counts[0][0] if len(counts) == 1 else join(f"{cpus or 'none'} ({times}x)" for cpus, times in counts)


def _in_order(cpus: tuple[int, ...]) -> str:
    """Return CPUs in their order, runs shortened: ``19,15-18,5-9``."""
    runs: list[list[int]] = []
    for cpu in cpus:
        if runs and cpu == runs[-1][-1] + 1:
            runs[-1].append(cpu)
        else:
            runs.append([cpu])
    return ",".join(format_cpulist(frozenset(run)) for run in runs)


def _notes(view: HostView, facts: InterruptFacts, targets: Targets) -> Iterable[str]:
    split = view.facts.get(CpuFacts)
    fast = split.split.value.performance if split and split.split.value else frozenset()
    meant = {device.address for device in targets.devices}
    fixed, others = [], []
    unread = sum(one.requested.value is None for device in targets.devices for one in device.vectors)
    if unread:
        yield f"the CPUs of {counted(unread, 'vector')} could not be read: whether they have to be moved is not known"
    for device in facts.devices.value or ():
        on_fast = [one for one in device.vectors if one.name and (one.requested.value or frozenset()) & fast]
        managed = [one for one in on_fast if likely_managed(one.name)]
        if managed:
            fixed.append(f"{device.address} ({counted(len(managed), 'vector')}, {managed[0].name} ...)")
        if device.address not in meant and len(on_fast) > len(managed):
            free = next(one for one in on_fast if one not in managed)
            others.append(f"{device.address} ({free.name})")
    if fixed:
        yield f"not covered: managed interrupts that may use performance cores: {join(fixed)}: {_MANAGED}"
    if others:
        yield f"not covered, unless listed: other devices whose interrupts may use performance cores: {join(others)}"
    yield "not covered: timers and inter-processor interrupts, which every CPU serves itself"
    yield "where interrupts serve inference better is not settled: public reports contradict each other; measure both"
    yield from _service_note(view)


def _service_note(view: HostView) -> Iterable[str]:
    services = view.facts.get(IrqServicesFacts)
    daemon = services.service("irqbalance") if services else None
    if daemon and daemon.active == "active" and "irqbalance" in view.profile.without:
        yield "irqbalance is active and was left out of this plan: it may move these interrupts again within 10 s"


def _verify(view: HostView) -> tuple[HostCheck, ...]:
    if view.profile.irq is IrqPolicy.LEAVE or view.applied_boot is None:
        return ()
    targets = targets_of(view.facts.get(InterruptFacts), view.profile)
    placement = place_interrupts(view.facts, view.profile.irq)
    if targets.value is None or placement.value is None:
        why = targets.why or placement.why or "interrupts were not read"
        return (_check("interrupts", f"--irq {view.profile.irq.value}", "", CheckStatus.UNREADABLE, why),)
    checks = [_gone(address, "it is not on the PCI bus") for address in (*targets.value.missing, *targets.value.wrong)]
    if not targets.value.devices and not checks:
        checks.append(_gone("GPU and ConnectX", "no such device is on the PCI bus"))
    for device in targets.value.devices:
        checks += _of_device(device, placement.value)
    return tuple(checks)


def _check(target: str, wanted: str, effective: str, status: CheckStatus, why: str = "") -> HostCheck:
    return HostCheck(change=_ID, target=target, wanted=wanted, effective=effective, status=status, why=why)


def _gone(target: str, why: str) -> HostCheck:
    return _check(target, "its interrupts placed", "", CheckStatus.ABSENT, why)


def _of_device(device: MsiDevice, placement: Placement) -> list[HostCheck]:
    """Return one check when all vectors came to the same; else one for those that are right, and one for each other."""
    if not device.vectors:
        return [_gone(device.address, "it has no MSI vectors: its driver is not loaded, or uses none")]
    checks = [_of_vector(device, place, one, placement) for place, one in enumerate(device.vectors)]
    alike = {(check.status, check.why) for check in checks}
    right = [check for check in checks if check.status is CheckStatus.OK]
    together = checks if len(alike) == 1 else right
    merged = [_merged(device, together, placement)] if together else []
    return merged + [check for check in checks if check not in together]


def _merged(device: MsiDevice, checks: list[HostCheck], placement: Placement) -> HostCheck:
    """Return one check for vectors of one status; reasons that only some of them have are counted."""
    reasons = Counter(check.why for check in checks if check.why)
    same = len(reasons) == 1 and reasons.total() == len(checks)
    return _check(
        f"{device.address} ({counted(len(checks), 'vector')})",
        f"one CPU each of {_in_order(placement.cpus)}" if placement.spread else checks[0].wanted,
        "each on its own"
        if placement.spread and checks[0].status is CheckStatus.OK
        else _tally(one.effective for one in checks),
        checks[0].status,
        next(iter(reasons)) if same else "; ".join(f"{times} of them: {why}" for why, times in reasons.items()),
    )


def _of_vector(device: MsiDevice, place: int, vector: MsiVector, placement: Placement) -> HostCheck:
    wanted = placement.wanted(place)
    name = f"{vector_name(device, place)} (IRQ {vector.irq}{', ' + vector.name if vector.name else ''})"
    requested = vector.requested
    if requested.value is None:
        status = CheckStatus.ABSENT if requested.state is State.ABSENT else CheckStatus.UNREADABLE
        return _check(name, format_cpulist(wanted), "", status, requested.why or "it has no smp_affinity_list")
    effective = format_cpulist(requested.value)
    if place_of(vector, wanted) is not Place.INSIDE:
        why = _MANAGED if likely_managed(vector.name) else "something else placed it, or the write was refused"
        return _check(name, format_cpulist(wanted), effective, CheckStatus.DIFFERENT, why)
    return _settled(name, vector, wanted, effective)


def _settled(name: str, vector: MsiVector, wanted: CpuSet, requested: str) -> HostCheck:
    """Judge a vector whose request is right by the CPU that serves it. One that no driver asked for serves nobody."""
    served = vector.effective.value
    if not served or served <= wanted or not vector.name:
        return _check(name, format_cpulist(wanted), requested, CheckStatus.OK)
    shown = f"{requested}, served by {format_cpulist(served)}"
    at_once = vector.chip.startswith("ITS")
    status = CheckStatus.DIFFERENT if at_once else CheckStatus.OK
    return _check(name, format_cpulist(wanted), shown, status, _ELSEWHERE if at_once else _LATER)


CHANGE = HostChange(
    id=_ID,
    title="Interrupts of GPU and network adapter",
    does="moves the MSI vectors of NVIDIA's and Mellanox's PCI devices, and of listed ones, to the cores of --irq",
    does_not="move timers, IPIs, Wi-Fi, queues that the kernel manages (NVMe), or any other device unasked",
    effect="none measured; public reports contradict each other, so compare efficiency with performance-spread",
    source="the kernel's irq-affinity.rst and irq/manage.c",
    order=300,
    plan=_plan,
    verify=_verify,
    reads=lambda facts, _profile: tuned_reads(facts),
)
