"""Interrupts of the GPU, the ConnectX and listed devices go to the cores that the profile names, vector by vector.

Sources: Documentation/core-api/irq/irq-affinity.rst for ``smp_affinity_list`` and ``effective_affinity_list``;
kernel/irq/proc.c and manage.c for managed interrupts, which no write moves (EPERM, EIO by older kernels);
isolcpus=managed_irq in kernel-parameters.txt.
"""

__all__ = ["CHANGE"]

from collections import Counter
from collections.abc import Iterable

from sparktune.host.changes._shared import cores_unknown
from sparktune.host.checks import checks_of
from sparktune.host.conflicts import managed_by_tuned, tuned_reads
from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.interrupts import MELLANOX, NVIDIA, InterruptFacts, MsiDevice, likely_managed
from sparktune.host.facts.irq_services import IrqServicesFacts
from sparktune.host.irq_checks import MANAGED, check_device, in_order, tally
from sparktune.host.irq_targets import (
    Placement,
    Targets,
    needs_move,
    place_interrupts,
    targets_of,
    vector_name,
)
from sparktune.host.words import join
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
from sparktune.model.profile import IrqPolicy
from sparktune.model.step import IrqStep
from sparktune.units import count_of

_ID = "irq-affinity"
_check = checks_of(_ID)
# TuneD's scheduler moves interrupts off its isolated_cores, too, unless irq_process=0
_OF_TUNED = (("irq", "*"), ("scheduler", "isolated_cores"), ("scheduler", "default_irq_smp_affinity"))
# As sysfs has them: those whose devices the profile means without being told
_VENDORS = tuple(f"{vendor:#06x}" for vendor in (NVIDIA, MELLANOX))
_UNPLUGGED = "its interrupts were placed, and now it is not on the PCI bus; a ConnectX without a cable is taken off it"


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
        return ChangePlan(notes=(*_unread(targets.value), *_service_note(view)))
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
    """Return the step for all devices, also those without vectors now: the node places them when they come."""
    there = [device for device in devices if device.vectors]
    vectors = {vector_name(device, place): one for device in there for place, one in enumerate(device.vectors)}
    expect = {
        name: format_cpulist(one.requested.value) for name, one in vectors.items() if one.requested.value is not None
    }
    cpus = format_cpulist(frozenset(placement.cpus))
    return PlannedStep(
        change=_ID,
        target=f"{count_of(len(vectors), 'interrupt vector')} of {', '.join(device.address for device in there)}",
        before=tally(expect.values()),
        after=f"one CPU each of {in_order(placement.cpus)}" if placement.spread else cpus,
        takes_effect=TakesEffect.LIVE,
        step=IrqStep(
            devices=tuple(device.address for device in devices),
            cpus=placement.cpus,
            spread=placement.spread,
            vendors=_VENDORS,
            fixed=tuple(name for name, one in vectors.items() if likely_managed(one.name)),
            expect=expect,
        ),
    )


def _notes(view: HostView, facts: InterruptFacts, targets: Targets) -> Iterable[str]:
    split = view.facts.get(CpuFacts)
    fast = split.split.value.performance if split and split.split.value else frozenset()
    meant = {device.address for device in targets.devices}
    fixed, others = [], []
    yield from _unread(targets)
    empty = [device.address for device in targets.devices if not device.vectors]
    if empty:
        yield f"{join(empty)}: no MSI vectors now; those that come are placed at boot and when its driver binds"
    for device in facts.devices.value or ():
        on_fast = [one for one in device.vectors if one.name and (one.requested.value or frozenset()) & fast]
        managed = [one for one in on_fast if likely_managed(one.name)]
        if managed:
            fixed.append(f"{device.address} ({count_of(len(managed), 'vector')}, {managed[0].name} ...)")
        if device.address not in meant and len(on_fast) > len(managed):
            free = next(one for one in on_fast if one not in managed)
            others.append(f"{device.address} ({free.name})")
    if fixed:
        yield f"not covered: managed interrupts that may use performance cores: {join(fixed)}: {MANAGED}"
    if others:
        yield f"not covered, unless listed: other devices whose interrupts may use performance cores: {join(others)}"
    if split and split.platform.value == "GB10" and not any(one.vendor == MELLANOX for one in targets.devices):
        comes = "one that comes is placed when its driver binds"
        later = "apply again when it is there" if "reapply" in view.profile.without else comes
        yield f"there is no ConnectX now: one without a cable is taken off the bus; {later}"
    yield "not covered: timers and inter-processor interrupts, which every CPU serves itself"
    yield "where interrupts serve inference better is not settled: public reports contradict each other; measure both"
    yield from _service_note(view)


def _unread(targets: Targets) -> Iterable[str]:
    unread = sum(one.requested.value is None for device in targets.devices for one in device.vectors)
    if unread:
        yield f"the CPUs of {count_of(unread, 'vector')} could not be read: whether they have to be moved is not known"


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
    placed = _placed(view)
    there = {device.address for device in targets.value.devices}
    checks += [_gone(address, _UNPLUGGED) for address in placed if address not in {*there, *targets.value.missing}]
    if not there and not checks:
        checks.append(_gone("GPU and ConnectX", "no such device is on the PCI bus"))
    for device in targets.value.devices:
        checks += check_device(_ID, device, placement.value, placed.get(device.address, 0) if placed else None)
    return tuple(checks)


def _placed(view: HostView) -> dict[str, int]:
    """Return the devices whose vectors were placed, and how many vectors they had, as the journal knows it."""
    items = {entry.item for entry in view.entries if entry.change == _ID and entry.before is not None}
    return dict(sorted(Counter(item.rpartition("#")[0] for item in items).items()))


def _gone(target: str, why: str) -> HostCheck:
    return _check(target, "its interrupts placed", "", CheckStatus.ABSENT, why)


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
