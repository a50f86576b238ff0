"""Core types: which CPUs are fast and which are slow, from what identifies a core rather than from lists in articles.

CPUs are grouped by the part number of their MIDR register (Arm Architecture Reference Manual, MIDR_EL1), because the
scheduler's ``cpu_capacity`` has five values on a GB10 that has two types. Capacity and frequency rank the groups, and
group CPUs without part numbers, when neighbours differ by at least 15 %.
"""

__all__ = ["CoreSplit", "CoreType", "CpuTraits", "group_cores", "split_cores"]

import statistics
from dataclasses import dataclass

from sparktune.host.cpulist import CpuSet, format_cpulist
from sparktune.model.observed import Observed, present, unreadable

_GAP = 1.15
_TWO = 2
# Arm's part numbers, as in the kernel's arch/arm64/include/asm/cputype.h
_NAMES = {(0x41, 0xD85): "Cortex-X925", (0x41, 0xD87): "Cortex-A725"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuTraits:
    """What one CPU says of itself; None for what it does not say. ``frequency_hz`` is its highest."""

    cpu: int
    model: str | None = None
    implementer: int | None = None
    part: int | None = None
    capacity: int | None = None
    frequency_hz: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreType:
    """CPUs of one type. ``capacity`` and ``frequency_hz`` are medians, None when one of the CPUs does not say.

    ``name`` is the core's name or its part number; for CPUs without one ``part`` is None and ``name`` the model's.
    """

    name: str
    implementer: int | None
    part: int | None
    cpus: CpuSet
    capacity: float | None
    frequency_hz: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreSplit:
    """A machine with fast and slow cores; ``basis`` says what told them apart."""

    performance: CpuSet
    efficiency: CpuSet
    basis: str


def group_cores(cpus: tuple[CpuTraits, ...]) -> tuple[CoreType, ...]:
    """Return the types of ``cpus``, the fastest first when that can be told, else by their first CPU."""
    if any(cpu.part is not None for cpu in cpus):
        by_part: dict[tuple[int | None, int | None], list[CpuTraits]] = {}
        for cpu in cpus:
            by_part.setdefault((cpu.implementer, cpu.part), []).append(cpu)
        groups = list(by_part.values())
    else:
        groups = _clusters(cpus, "capacity") or _clusters(cpus, "frequency_hz") or ([list(cpus)] if cpus else [])
    types = [_core_type(group) for group in groups]
    types.sort(key=lambda kind: (-(kind.capacity or 0), -(kind.frequency_hz or 0), min(kind.cpus)))
    rank = _ranked(types[0], types[1]) if len(types) == _TWO else None
    return tuple(types) if rank is None else rank[:2]


def split_cores(types: tuple[CoreType, ...]) -> Observed[CoreSplit]:
    """Split a machine of two core types; UNREADABLE with the reason for every other machine."""
    if not types:
        return unreadable("no CPU says what it is")
    if len(types) == 1:
        return unreadable(f"all {len(types[0].cpus)} CPUs are of one type ({types[0].name}): there are no slower cores")
    unknown = [kind for kind in types if kind.part is None]
    if unknown and len(unknown) < len(types):
        return unreadable(f"the core type of CPUs {format_cpulist(unknown[0].cpus)} is unknown")
    if len(types) > _TWO:
        return unreadable(
            f"{len(types)} core types ({', '.join(kind.name for kind in types)}), not two: which are fast is unclear"
        )
    rank = _ranked(types[0], types[1])
    if rank is None:
        names = f"{types[0].name} and {types[1].name}"
        return unreadable(f"{names} differ by less than 15 % in capacity and in frequency, or say neither")
    fast, slow, by = rank
    told_apart = by if unknown else f"MIDR part, ranked by {by}"
    return present(CoreSplit(performance=fast.cpus, efficiency=slow.cpus, basis=told_apart))


def _ranked(one: CoreType, other: CoreType) -> tuple[CoreType, CoreType, str] | None:
    for by in ("capacity", "frequency_hz"):
        a, b = getattr(one, by), getattr(other, by)
        if a is not None and b is not None and max(a, b) >= _GAP * min(a, b):
            fast, slow = (one, other) if a > b else (other, one)
            return fast, slow, {"capacity": "cpu_capacity", "frequency_hz": "maximum frequency"}[by]
    return None


def _clusters(cpus: tuple[CpuTraits, ...], trait: str) -> list[list[CpuTraits]]:
    """Cut the CPUs, ordered by a trait, at their largest gap; nothing when that is below 15 % or one does not say."""
    if len(cpus) < _TWO or any(not getattr(cpu, trait) for cpu in cpus):
        return []
    ordered = sorted(cpus, key=lambda cpu: int(getattr(cpu, trait)))
    ratios = [getattr(ordered[i], trait) / getattr(ordered[i - 1], trait) for i in range(1, len(ordered))]
    largest = max(ratios)
    if largest < _GAP:
        return []
    cut = ratios.index(largest) + 1
    return [ordered[cut:], ordered[:cut]]


def _core_type(group: list[CpuTraits]) -> CoreType:
    first = group[0]
    if first.part is None:
        name = first.model or "unnamed core"
    else:
        name = _NAMES.get((first.implementer or 0, first.part), f"part {first.part:#05x}")
    return CoreType(
        name=name,
        implementer=first.implementer if first.part is not None else None,
        part=first.part,
        cpus=frozenset(cpu.cpu for cpu in group),
        capacity=_median([cpu.capacity for cpu in group]),
        frequency_hz=_median([cpu.frequency_hz for cpu in group]),
    )


def _median(values: list[int | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(statistics.median(known)) if len(known) == len(values) else None
