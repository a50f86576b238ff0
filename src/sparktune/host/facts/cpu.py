"""CPUs: core types, what is online or isolated, SMT, caches, and whether this is a GB10.

Sources: sysfs-devices-system-cpu and sysfs-devices-soc in the kernel's Documentation/ABI. A GB10 is identified by its
SoC id (``jep106:0426:8901``) and its pair of MIDR parts, never by DMI: every maker of one writes another name there.
"""

__all__ = ["SOURCE", "CacheDomain", "CpuFacts"]

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sparktune.host.core_types import CoreSplit, CoreType, CpuTraits, group_cores, split_cores
from sparktune.host.cpulist import CpuSet, parse_cpulist
from sparktune.host.facts._shared import bounded_int, by_cpu, first_known, flag, shorten, word
from sparktune.model.node import FactSource
from sparktune.model.observed import Observed, State, absent, present, unreadable
from sparktune.model.reads import Read, ReadFile, ReadFiles, Readings
from sparktune.units import Bytes

_ROOT = "/sys/devices/system/cpu"
_EACH = f"{_ROOT}/cpu[0-9]*"
_MIDR = f"{_EACH}/regs/identification/midr_el1"
_CAPACITY = f"{_EACH}/cpu_capacity"
_FREQUENCY = f"{_EACH}/cpufreq/cpuinfo_max_freq"
_SIBLINGS = f"{_EACH}/topology/thread_siblings_list"
_CLUSTERS = f"{_EACH}/topology/cluster_cpus_list"
_CACHE_LEVEL = f"{_EACH}/cache/index[0-9]*/level"
_CACHE_CPUS = f"{_EACH}/cache/index[0-9]*/shared_cpu_list"
_CACHE_SIZE = f"{_EACH}/cache/index[0-9]*/size"
_SOC_ID = "/sys/devices/soc[0-9]*/soc_id"
_CPUINFO = "/proc/cpuinfo"

_GB10_SOC_ID = "jep106:0426:8901"
_GB10_PARTS = {(0x41, 0xD85): 10, (0x41, 0xD87): 10}
_PART_KEYS = ("CPU implementer", "CPU part")
_CPUINFO_KEYS = (*_PART_KEYS, "model name")
_HZ_PER_KHZ = 1000
_SIZE = re.compile(r"(\d{1,12})([KMG]?)", re.ASCII)
_SCALES = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheDomain:
    """CPUs that share one last-level (L3) cache."""

    cpus: CpuSet
    size: Observed[Bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuFacts:
    """``types`` the fastest first; ``split`` UNREADABLE, with the reason, where fast and slow cannot be told apart.

    ``platform`` is "GB10" or ABSENT. ``smt`` is whether cores run several threads; ``siblings`` the groups that share a
    core, only groups of at least two. ``clusters`` are the kernel's topology clusters: on a GB10 each mixes both types.
    ``capacity`` is that of each CPU that says it, on the kernel's scale up to 1024.
    """

    platform: Observed[str]
    soc_id: Observed[str]
    possible: Observed[CpuSet]
    online: Observed[CpuSet]
    isolated: Observed[CpuSet]
    nohz_full: Observed[CpuSet]
    types: tuple[CoreType, ...]
    split: Observed[CoreSplit]
    smt: Observed[bool]
    smt_control: Observed[str]
    siblings: tuple[CpuSet, ...]
    clusters: tuple[CpuSet, ...]
    l3: tuple[CacheDomain, ...]
    capacity: Mapping[int, int] = field(default_factory=dict)


def _parse(readings: Readings) -> CpuFacts:
    online = readings.file(f"{_ROOT}/online").map(parse_cpulist)
    traits = _traits(readings, online)
    types = group_cores(traits)
    soc_id = first_known(text.map(word) for _, text in sorted(readings.matching(_SOC_ID).items()))
    smt_control = readings.file(f"{_ROOT}/smt/control").map(word)
    siblings, named = _siblings(readings.matching(_SIBLINGS))
    return CpuFacts(
        platform=_platform(soc_id, types),
        soc_id=soc_id,
        possible=readings.file(f"{_ROOT}/possible").map(parse_cpulist),
        online=online,
        isolated=readings.file(f"{_ROOT}/isolated").map(parse_cpulist),
        nohz_full=readings.file(f"{_ROOT}/nohz_full").map(parse_cpulist),
        types=types,
        split=split_cores(types),
        smt=_smt(readings.file(f"{_ROOT}/smt/active").map(flag), siblings, named=named),
        smt_control=smt_control,
        siblings=siblings,
        clusters=_sets(readings.matching(_CLUSTERS).values()),
        l3=_l3(readings),
        capacity={one.cpu: one.capacity for one in traits if one.capacity is not None},
    )


def _traits(readings: Readings, online: Observed[CpuSet]) -> tuple[CpuTraits, ...]:
    midr = {cpu: text.map(_from_midr).value for cpu, text in by_cpu(readings.matching(_MIDR)).items()}
    cpuinfo = _cpuinfo(readings.file(_CPUINFO).value or "")
    capacity = {cpu: text.map(bounded_int).value for cpu, text in by_cpu(readings.matching(_CAPACITY)).items()}
    khz = {cpu: text.map(bounded_int).value for cpu, text in by_cpu(readings.matching(_FREQUENCY)).items()}
    cpus = online.value if online.value is not None else frozenset().union(midr, cpuinfo, capacity, khz)
    traits = []
    for cpu in sorted(cpus):
        said = cpuinfo.get(cpu, {})
        implementer, part = midr.get(cpu) or _from_cpuinfo(said) or (None, None)
        frequency = khz.get(cpu)
        traits.append(
            CpuTraits(
                cpu=cpu,
                model=shorten(said.get("model name", "")) or None,
                implementer=implementer,
                part=part,
                capacity=capacity.get(cpu),
                frequency_hz=None if frequency is None else frequency * _HZ_PER_KHZ,
            )
        )
    return tuple(traits)


def _from_midr(text: str) -> tuple[int, int]:
    register = bounded_int(text, 16)
    return register >> 24 & 0xFF, register >> 4 & 0xFFF


def _cpuinfo(text: str) -> dict[int, dict[str, str]]:
    """Return the fields of each processor that /proc/cpuinfo names."""
    found: dict[int, dict[str, str]] = {}
    fields: dict[str, str] = {}
    for line in text.splitlines():
        key, _, value = (piece.strip() for piece in line.partition(":"))
        if key == "processor":
            number = present(value).map(bounded_int).value
            fields = {} if number is None else found.setdefault(number, {})
        elif key in _CPUINFO_KEYS:
            fields[key] = value
    return found


def _from_cpuinfo(fields: Mapping[str, str]) -> tuple[int, int] | None:
    """Return implementer and part; None on x86, which names neither."""
    implementer, part = (
        present(fields.get(key, "")).map(lambda text: bounded_int(text, 16)).value for key in _PART_KEYS
    )
    return None if implementer is None or part is None else (implementer, part)


def _platform(soc_id: Observed[str], types: tuple[CoreType, ...]) -> Observed[str]:
    parts = {(kind.implementer, kind.part): len(kind.cpus) for kind in types if kind.part is not None}
    if soc_id.value is None:
        return present("GB10") if parts == _GB10_PARTS else absent()
    if soc_id.value != _GB10_SOC_ID:
        return absent()
    if parts and set(parts) != set(_GB10_PARTS):
        return unreadable(f"SoC id {soc_id.value} is a GB10's, its core types are not")
    return present("GB10")


def _siblings(files: Mapping[str, Observed[str]]) -> tuple[tuple[CpuSet, ...], bool]:
    """Return the groups of several CPUs, and whether any CPU named its group at all."""
    groups = _sets(files.values())
    return tuple(group for group in groups if len(group) > 1), bool(groups)


def _smt(active: Observed[bool], siblings: tuple[CpuSet, ...], *, named: bool) -> Observed[bool]:
    if siblings:
        return present(value=True)
    if active.state is State.PRESENT or not named:
        return active
    return present(value=False)


def _sets(texts: Iterable[Observed[str]]) -> tuple[CpuSet, ...]:
    """Return the distinct sets of lists that can be read, by their first CPU."""
    found = {cpus for text in texts if (cpus := text.map(parse_cpulist).value)}
    return tuple(sorted(found, key=sorted))


def _l3(readings: Readings) -> tuple[CacheDomain, ...]:
    cpus, sizes = readings.matching(_CACHE_CPUS), readings.matching(_CACHE_SIZE)
    found: dict[CpuSet, Observed[Bytes]] = {}
    for path, level in readings.matching(_CACHE_LEVEL).items():
        folder = path.removesuffix("level")
        shared = cpus.get(f"{folder}shared_cpu_list", absent()).map(parse_cpulist).value
        if shared and (level.value or "").strip() == "3":
            found.setdefault(shared, sizes.get(f"{folder}size", absent()).map(_size))
    return tuple(CacheDomain(cpus=shared, size=found[shared]) for shared in sorted(found, key=sorted))


def _size(text: str) -> Bytes:
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        message = f"no size: {text.strip()[:80]!r}"
        raise ValueError(message)
    return int(match[1]) * _SCALES[match[2]]


_READS: tuple[Read, ...] = (
    *(ReadFile(path=f"{_ROOT}/{name}") for name in ("possible", "online", "isolated", "nohz_full")),
    ReadFile(path=f"{_ROOT}/smt/active"),
    ReadFile(path=f"{_ROOT}/smt/control"),
    *(
        ReadFiles(pattern=pattern)
        for pattern in (_MIDR, _CAPACITY, _SIBLINGS, _CLUSTERS, _CACHE_LEVEL, _CACHE_CPUS, _CACHE_SIZE, _SOC_ID)
    ),
    ReadFiles(pattern=_FREQUENCY),
    ReadFile(path=_CPUINFO, most_bytes=1024 * 1024),
)

SOURCE = FactSource(name="cpu", kind=CpuFacts, reads=_READS, parse=_parse)
