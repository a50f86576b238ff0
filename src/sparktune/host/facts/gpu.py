"""GPUs as nvidia-smi sees them; on a GB10 many of its fields say ``[N/A]`` or ``Not Supported``.

Field names: ``nvidia-smi --help-query-gpu``; bits of the clock reasons: NVML's nvmlClocksEventReasons.
"""

__all__ = ["SOURCE", "Gpu", "GpuFacts", "GpuProcess"]

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from sparktune.host.facts._shared import bounded_int, decimal, first_known, output, shorten, word
from sparktune.model.node import FactSource
from sparktune.model.observed import Observed, absent, present, unreadable
from sparktune.model.reads import ReadCommand, ReadFile, Readings
from sparktune.units import Bytes, Celsius, Ratio, Watts

_T = TypeVar("_T")

_FIELDS = (
    "index",
    "name",
    "pci.bus_id",
    "driver_version",
    "vbios_version",
    "pstate",
    "temperature.gpu",
    "utilization.gpu",
    "power.draw",
    "power.limit",
    "clocks.current.sm",
    "clocks.max.sm",
    "memory.total",
)
_PROCESS_FIELDS = ("pid", "process_name", "used_memory")
_FORMAT = "--format=csv,noheader,nounits"
_QUERY = ("nvidia-smi", f"--query-gpu={','.join(_FIELDS)}", _FORMAT)
# Two names for one field, old and new; a driver refuses a whole query for one name that it does not know.
_REASONS = tuple(
    ("nvidia-smi", f"--query-gpu=index,clocks_{name}_reasons.active", _FORMAT) for name in ("event", "throttle")
)
_PROCESSES = ("nvidia-smi", f"--query-compute-apps={','.join(_PROCESS_FIELDS)}", _FORMAT)
_MODULE_VERSION = "/sys/module/nvidia/version"

_REASON_BITS = (
    (0x1, "gpu_idle"),
    (0x2, "applications_clocks_setting"),
    (0x4, "sw_power_cap"),
    (0x8, "hw_slowdown"),
    (0x10, "sync_boost"),
    (0x20, "sw_thermal_slowdown"),
    (0x40, "hw_thermal_slowdown"),
    (0x80, "hw_power_brake_slowdown"),
    (0x100, "display_clock_setting"),
)
_UNSUPPORTED = {"n/a", "not supported", "not available"}
_HZ_PER_MHZ = 1e6
_MIB = 1024**2
_PER_CENT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One GPU. Clocks in hertz; ``clock_reasons`` are NVML's words for why clocks are as they are (may be empty)."""

    index: int
    name: Observed[str]
    bus_id: Observed[str]
    driver: Observed[str]
    vbios: Observed[str]
    performance_state: Observed[str]
    temperature: Observed[Celsius]
    utilization: Observed[Ratio]
    power: Observed[Watts]
    power_limit: Observed[Watts]
    sm_clock_hz: Observed[float]
    max_sm_clock_hz: Observed[float]
    memory_total: Observed[Bytes]
    clock_reasons: Observed[tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuProcess:
    """A process that computes on a GPU."""

    pid: int
    name: str
    memory: Observed[Bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuFacts:
    """ABSENT without nvidia-smi. ``driver`` is the version of the kernel module that is loaded."""

    driver: Observed[str]
    gpus: Observed[tuple[Gpu, ...]]
    processes: Observed[tuple[GpuProcess, ...]]


def _parse(readings: Readings) -> GpuFacts:
    reasons = first_known(output(readings.command(*query)) for query in _REASONS)
    by_index = reasons.map(_reasons)
    rows = output(readings.command(*_QUERY)).map(lambda text: _rows(text, len(_FIELDS)))
    gpus = rows.map(lambda found: tuple(_gpu(row, by_index) for row in found))
    module = readings.file(_MODULE_VERSION).map(word)
    return GpuFacts(
        driver=first_known((module, *(gpu.driver for gpu in gpus.value or ()))),
        gpus=gpus,
        processes=output(readings.command(*_PROCESSES)).map(_processes),
    )


def _rows(text: str, width: int) -> tuple[list[str], ...]:
    rows = [[cell.strip() for cell in line.split(",")] for line in text.splitlines() if line.strip()]
    for row in rows:
        if len(row) != width:
            message = f"{len(row)} values where {width} were asked for: {shorten(','.join(row))!r}"
            raise ValueError(message)
    return tuple(rows)


def _gpu(row: list[str], reasons: Observed[dict[int, Observed[int]]]) -> Gpu:
    index = bounded_int(row[0])
    cells = dict(zip(_FIELDS, row, strict=True))

    def of(field: str, change: Callable[[str], _T]) -> Observed[_T]:
        return _cell(cells[field]).map(change)

    active = Observed(reasons.state, None, reasons.why) if reasons.value is None else reasons.value.get(index, absent())
    return Gpu(
        index=index,
        name=of("name", word),
        bus_id=of("pci.bus_id", word),
        driver=of("driver_version", word),
        vbios=of("vbios_version", word),
        performance_state=of("pstate", word),
        temperature=of("temperature.gpu", decimal),
        utilization=of("utilization.gpu", lambda text: decimal(text) / _PER_CENT),
        power=of("power.draw", decimal),
        power_limit=of("power.limit", decimal),
        sm_clock_hz=of("clocks.current.sm", _hertz),
        max_sm_clock_hz=of("clocks.max.sm", _hertz),
        memory_total=of("memory.total", _mib),
        clock_reasons=active.map(_reason_words),
    )


def _cell(text: str) -> Observed[str]:
    """Return a value; ABSENT for what this GPU does not have, UNREADABLE for what it could not say now."""
    plain = text.strip("[] ")
    if plain.lower() in _UNSUPPORTED:
        return absent()
    return unreadable(shorten(plain) or "empty") if text.startswith("[") or not plain else present(text)


def _hertz(text: str) -> float:
    return decimal(text) * _HZ_PER_MHZ


def _mib(text: str) -> Bytes:
    return bounded_int(text) * _MIB


def _reasons(text: str) -> dict[int, Observed[int]]:
    return {bounded_int(row[0]): _cell(row[1]).map(lambda bits: bounded_int(bits, 16)) for row in _rows(text, 2)}


def _reason_words(bits: int) -> tuple[str, ...]:
    return tuple(name for bit, name in _REASON_BITS if bits & bit)


def _processes(text: str) -> tuple[GpuProcess, ...]:
    found = []
    for line in text.splitlines():
        # the name in the middle is anybody's text and may hold commas
        pid, _, rest = line.partition(",")
        name, _, memory = rest.rpartition(",")
        if line.strip():
            found.append(
                GpuProcess(pid=bounded_int(pid), name=shorten(name, 300), memory=_cell(memory.strip()).map(_mib))
            )
    return tuple(found)


SOURCE = FactSource(
    name="gpu",
    kind=GpuFacts,
    reads=(
        *(ReadCommand(argv=argv) for argv in (_QUERY, *_REASONS, _PROCESSES)),
        ReadFile(path=_MODULE_VERSION),
    ),
    parse=_parse,
)
