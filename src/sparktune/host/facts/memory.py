"""Memory of a machine whose CPU and GPU share one pool: what is free at once, swap traffic, pressure, large blocks.

Sources: proc(5) for /proc/meminfo, /proc/vmstat and /proc/buddyinfo, Documentation/accounting/psi.rst for
/proc/pressure/memory. On unified memory nvidia-smi has no memory figure, so these files are the only ones.
"""

__all__ = ["SOURCE", "BuddyZone", "MemoryFacts", "Pressure", "PressureLine"]

import re
from dataclasses import dataclass

from sparktune.host.facts._shared import bounded_int, decimal, missing, shorten
from sparktune.model.node import FactSource
from sparktune.model.observed import Observed, absent
from sparktune.model.reads import ReadFile, Readings
from sparktune.units import Bytes, Ratio, Seconds

_MEMINFO = "/proc/meminfo"
_VMSTAT = "/proc/vmstat"
_PRESSURE = "/proc/pressure/memory"
_BUDDY = "/proc/buddyinfo"
_CRASH = "/sys/kernel/kexec_crash_size"

_KIB = re.compile(r"(\d{1,18}) kB", re.ASCII)
_ZONE = re.compile(r"Node (\d{1,6}), zone\s+(\S{1,32})((?:\s+\d{1,18})+)\s*", re.ASCII)
_US_PER_S = 1_000_000
_PER_CENT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class PressureLine:
    """Shares (0 to 1) of the last 10, 60 and 300 seconds in which tasks waited for memory, and all of it since boot."""

    avg10: Ratio
    avg60: Ratio
    avg300: Ratio
    total_s: Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressure:
    """``some``: at least one task waited; ``full``: all did."""

    some: PressureLine
    full: PressureLine


@dataclass(frozen=True, slots=True, kw_only=True)
class BuddyZone:
    """Free blocks of one zone: ``blocks[n]`` of 2**n pages each."""

    node: int
    zone: str
    blocks: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFacts:
    """Sizes in bytes; ``swapped_*_pages`` and ``oom_kills`` count since boot.

    ``cma_free`` above ``cma_total`` is no reading error but a known fault of the kernel (kexec handover).
    ``crash_size`` is the memory that is kept for a crash kernel.
    """

    total: Observed[Bytes]
    available: Observed[Bytes]
    free: Observed[Bytes]
    cached: Observed[Bytes]
    cma_total: Observed[Bytes]
    cma_free: Observed[Bytes]
    swap_total: Observed[Bytes]
    swap_free: Observed[Bytes]
    swapped_in_pages: Observed[int]
    swapped_out_pages: Observed[int]
    oom_kills: Observed[int]
    pressure: Observed[Pressure]
    buddy: Observed[tuple[BuddyZone, ...]]
    crash_size: Observed[Bytes]


def _parse(readings: Readings) -> MemoryFacts:
    meminfo, vmstat = readings.file(_MEMINFO), readings.file(_VMSTAT)
    sizes, counters = _fields(meminfo.value or "", ":"), _fields(vmstat.value or "", " ")

    def size(key: str) -> Observed[Bytes]:
        return _field(meminfo, sizes, key).map(_bytes)

    def count(key: str) -> Observed[int]:
        return _field(vmstat, counters, key).map(bounded_int)

    return MemoryFacts(
        total=size("MemTotal"),
        available=size("MemAvailable"),
        free=size("MemFree"),
        cached=size("Cached"),
        # a kernel without CMA names neither: ABSENT, not unknown
        cma_total=size("CmaTotal") if "CmaTotal" in sizes or not sizes else absent(),
        cma_free=size("CmaFree") if "CmaFree" in sizes or not sizes else absent(),
        swap_total=size("SwapTotal"),
        swap_free=size("SwapFree"),
        swapped_in_pages=count("pswpin"),
        swapped_out_pages=count("pswpout"),
        oom_kills=count("oom_kill"),
        pressure=readings.file(_PRESSURE).map(_pressure),
        buddy=readings.file(_BUDDY).map(_buddy),
        crash_size=readings.file(_CRASH).map(bounded_int),
    )


def _fields(text: str, separator: str) -> dict[str, str]:
    split = (line.partition(separator) for line in text.splitlines())
    return {key.strip(): value for key, sign, value in split if sign}


def _field(source: Observed[str], fields: dict[str, str], key: str) -> Observed[str]:
    found = fields.get(key)
    return missing(source, key) if found is None else source.map(lambda _: found)


def _bytes(text: str) -> Bytes:
    match = _KIB.fullmatch(text.strip())
    if match is None:
        message = f"no size in kB: {shorten(text)!r}"
        raise ValueError(message)
    return int(match[1]) * 1024


def _pressure(text: str) -> Pressure:
    lines = {words[0]: words[1:] for line in text.splitlines() if (words := line.split())}
    if not {"some", "full"} <= set(lines):
        message = f"no memory pressure: {shorten(text)!r}"
        raise ValueError(message)
    return Pressure(some=_pressure_line(lines["some"]), full=_pressure_line(lines["full"]))


def _pressure_line(words: list[str]) -> PressureLine:
    values = dict(word.split("=", 1) for word in words if "=" in word)
    if not {"avg10", "avg60", "avg300", "total"} <= set(values):
        message = f"no memory pressure: {shorten(' '.join(words))!r}"
        raise ValueError(message)
    return PressureLine(
        avg10=decimal(values["avg10"]) / _PER_CENT,
        avg60=decimal(values["avg60"]) / _PER_CENT,
        avg300=decimal(values["avg300"]) / _PER_CENT,
        total_s=bounded_int(values["total"]) / _US_PER_S,
    )


def _buddy(text: str) -> tuple[BuddyZone, ...]:
    zones = []
    for line in text.splitlines():
        match = _ZONE.fullmatch(line)
        if match is None:
            message = f"no line of free blocks: {shorten(line)!r}"
            raise ValueError(message)
        zones.append(
            BuddyZone(node=int(match[1]), zone=match[2], blocks=tuple(int(count) for count in match[3].split()))
        )
    return tuple(zones)


SOURCE = FactSource(
    name="memory",
    kind=MemoryFacts,
    reads=tuple(ReadFile(path=path) for path in (_MEMINFO, _VMSTAT, _PRESSURE, _BUDDY, _CRASH)),
    parse=_parse,
)
