"""What the interrupts of a device come to, beside the CPUs that they should have: one line where all vectors agree.

Sources: Documentation/core-api/irq/irq-affinity.rst; drivers/irqchip/irq-gic-v3-its.c, whose vectors target one CPU
each, at once; on x86 a vector moves with its next interrupt.
"""

__all__ = ["MANAGED", "check_device", "in_order", "tally"]

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.interrupts import MsiDevice, MsiVector, likely_managed
from sparktune.host.irq_targets import Place, Placement, place_of, vector_name
from sparktune.host.words import join
from sparktune.model.host_plan import CheckStatus, HostCheck
from sparktune.model.observed import State
from sparktune.units import count_of

MANAGED = "the kernel places it and refuses every write; only isolcpus=managed_irq,CPUS at boot keeps it off CPUs"
_LATER = "the request is right; on this interrupt controller the vector moves with its next interrupt"
_ELSEWHERE = "the request is right, but the interrupt controller serves it elsewhere"
_NEW = "the device was not there when the profile was applied: apply it again"
_PLACED = "its interrupts placed"
_ABSENT = CheckStatus.ABSENT
_MOST_ALONE = 4


class _Verdict(NamedTuple):
    place: int
    wanted: str
    effective: str
    status: CheckStatus
    why: str


def check_device(change: str, device: MsiDevice, placement: Placement, placed: int | None) -> tuple[HostCheck, ...]:
    """Return one check for the vectors that are right, and one for each other; many of one kind make one check.

    A device that came back with another number of vectors than were ``placed`` is judged by those that it has now, and
    that is said; so is that none were, because the device was not there. None: what was placed is not known.
    """
    if not device.vectors:
        why = "it has no MSI vectors: its driver is not loaded, or uses none"
        gone = HostCheck(change=change, target=device.address, wanted=_PLACED, effective="", status=_ABSENT, why=why)
        return (gone,)
    groups: dict[tuple[CheckStatus, str], list[_Verdict]] = {}
    for place, vector in enumerate(device.vectors):
        verdict = _judge(place, vector, placement)
        groups.setdefault((verdict.status, "" if verdict.status is CheckStatus.OK else verdict.why), []).append(verdict)
    found: list[HostCheck] = []
    for (status, _), verdicts in sorted(groups.items(), key=lambda group: group[0][0] is not CheckStatus.OK):
        if status is CheckStatus.OK or len(groups) == 1 or len(verdicts) > _MOST_ALONE:
            found.append(_together(change, device, verdicts, placement))
        else:
            found += [_alone(change, device, verdict) for verdict in verdicts]
    if placed == 0:
        found = [replace(check, why=_NEW) if check.status is CheckStatus.DIFFERENT else check for check in found]
    elif placed not in {None, len(device.vectors)}:
        recount = f"it has {count_of(len(device.vectors), 'vector')} now, and had {placed} when they were placed"
        found[0] = replace(found[0], why="; ".join(text for text in (found[0].why, recount) if text))
    return tuple(found)


def _together(change: str, device: MsiDevice, verdicts: list[_Verdict], placement: Placement) -> HostCheck:
    """Return one check for vectors of one status; a reason that only some of them have is counted."""
    reasons = Counter(verdict.why for verdict in verdicts if verdict.why)
    same = reasons.total() == len(verdicts)
    right = verdicts[0].status is CheckStatus.OK
    whole = len(verdicts) == len(device.vectors)
    places = "" if whole else f": #{format_cpulist(frozenset(verdict.place for verdict in verdicts))}"
    return HostCheck(
        change=change,
        target=f"{device.address} ({count_of(len(verdicts), 'vector')}{places})",
        wanted=f"one CPU each of {in_order(placement.cpus)}" if placement.spread else verdicts[0].wanted,
        effective="each on its own" if placement.spread and right else tally(verdict.effective for verdict in verdicts),
        status=verdicts[0].status,
        why="; ".join(reasons) if same else "; ".join(f"{times} of them: {why}" for why, times in reasons.items()),
    )


def _alone(change: str, device: MsiDevice, verdict: _Verdict) -> HostCheck:
    vector = device.vectors[verdict.place]
    name = f", {vector.name}" if vector.name else ""
    return HostCheck(
        change=change,
        target=f"{vector_name(device, verdict.place)} (IRQ {vector.irq}{name})",
        wanted=verdict.wanted,
        effective=verdict.effective,
        status=verdict.status,
        why=verdict.why,
    )


def _judge(place: int, vector: MsiVector, placement: Placement) -> _Verdict:
    """Judge a vector by its request, and by the CPU that serves it. One that no driver asked for serves nobody."""
    cpus, requested, served = placement.wanted(place), vector.requested, vector.effective.value
    wanted = format_cpulist(cpus)
    if requested.value is None:
        status = _ABSENT if requested.state is State.ABSENT else CheckStatus.UNREADABLE
        return _Verdict(place, wanted, "", status, requested.why or "it has no smp_affinity_list")
    now = format_cpulist(requested.value)
    if place_of(vector, cpus) is not Place.INSIDE:
        why = MANAGED if likely_managed(vector.name) else "something else placed it, or the write was refused"
        return _Verdict(place, wanted, now, CheckStatus.DIFFERENT, why)
    if not served or served <= cpus or not vector.name:
        return _Verdict(place, wanted, now, CheckStatus.OK, "")
    shown = f"{now}, served by {format_cpulist(served)}"
    if vector.chip.startswith("ITS"):
        return _Verdict(place, wanted, shown, CheckStatus.DIFFERENT, _ELSEWHERE)
    return _Verdict(place, wanted, shown, CheckStatus.OK, _LATER)


def tally(lists: Iterable[str]) -> str:
    """Return the lists of CPUs with how often each occurs, the most frequent first."""
    counts = Counter(lists).most_common()
    return counts[0][0] if len(counts) == 1 else join(f"{cpus or 'none'} ({times}x)" for cpus, times in counts)


def in_order(cpus: tuple[int, ...]) -> str:
    """Return CPUs in their order, runs shortened: ``19,15-18,5-9``."""
    runs: list[list[int]] = []
    for cpu in cpus:
        if runs and cpu == runs[-1][-1] + 1:
            runs[-1].append(cpu)
        else:
            runs.append([cpu])
    return ",".join(format_cpulist(frozenset(run)) for run in runs)
