"""What guards want of a node twice a second, and the tick that its answer becomes.

Sources: those of the facts that are parsed here (memory, thermal, gpu). Of the kernel's log the node counts lines by
itself: the driver's that says NV_ERR_NO_MEMORY (0x51), as in https://github.com/vllm-project/vllm/issues/56824.
"""

__all__ = ["GUARD_READS", "host_tick", "why_missing"]

import re
from collections.abc import Container
from typing import Final

from sparktune.host.facts import gpu, memory
from sparktune.host.facts.gpu import GpuFacts
from sparktune.host.facts.memory import MemoryFacts
from sparktune.model.guard import GpuProcess, GpuTick, HostTick
from sparktune.model.observed import present
from sparktune.model.reads import CommandOutput, CountLines, ReadCommand, ReadFiles, Readings, Sampled
from sparktune.model.sample import Sample
from sparktune.units import NS_PER_S, Celsius, Seconds

_MEMORY: Final = ("/proc/meminfo", "/proc/vmstat", "/proc/pressure/memory")
# Of two hundred lines these matter, twice a second.
_LINES: Final = (("MemTotal:", "MemFree:", "MemAvailable:"), ("pswpin ", "pswpout ", "oom_kill "), ())
_ZONES: Final = "/sys/class/thermal/thermal_zone[0-9]*/temp"
_KERNEL_LOG: Final = "/dev/kmsg"
_DRIVER: Final = ("NVRM", "NV_ERR_NO_MEMORY")
_GPU_EVERY_S: Final[Seconds] = 5.0
_PROCESSES_EVERY_S: Final[Seconds] = 10.0
# One process of nvidia-smi that hangs is enough: as long as it runs there is no other.
_LONGEST_S: Final[Seconds] = 20.0
_TEMPERATURE: Final = re.compile(r"-?\d{1,7}", re.ASCII)
_COLDEST, _HOTTEST = -100_000, 250_000  # millidegrees; beyond them a sensor says that it has no value
_QUERY, _PROCESSES = (
    next(read.argv for read in gpu.SOURCE.reads if isinstance(read, ReadCommand) and word in " ".join(read.argv))
    for word in ("--query-gpu=index,name", "--query-compute-apps")
)
GUARD_READS: Final[tuple[Sampled, ...]] = (
    *(ReadFiles(pattern=path, lines=lines) for path, lines in zip(_MEMORY, _LINES, strict=True)),
    ReadFiles(pattern=_ZONES),
    CountLines(path=_KERNEL_LOG, words=_DRIVER),
    ReadCommand(argv=_QUERY, every_s=_GPU_EVERY_S, limit_s=_LONGEST_S),
    ReadCommand(argv=_PROCESSES, every_s=_PROCESSES_EVERY_S, limit_s=_LONGEST_S),
)
"""What a guarded node is asked for at every tick."""

_SOURCES: Final = {
    "available": _MEMORY[0],
    "free": _MEMORY[0],
    "total": _MEMORY[0],
    "swapped_in_pages": _MEMORY[1],
    "swapped_out_pages": _MEMORY[1],
    "oom_kills": _MEMORY[1],
    "memory_stall_ns": _MEMORY[2],
    "driver_lines": _KERNEL_LOG,
    "hottest": _ZONES,
    "gpus": " ".join(_QUERY),
    "gpu_processes": " ".join(_PROCESSES),
}


def host_tick(node: str, sample: Sample, ours: Container[int] | None = None) -> HostTick:
    """Return what a sample says; ``ours`` are the processes of the measured service, None where they are not known."""
    readings = _readings(sample)
    facts: MemoryFacts = memory.SOURCE.parse(readings)
    cards: GpuFacts = gpu.SOURCE.parse(readings)
    lines, _, last = sample.texts.get(_KERNEL_LOG, "").partition("\n")
    pressure, processes, gpus = facts.pressure.value, cards.processes.value, _gpus(cards)
    return HostTick(
        node=node,
        monotonic_ns=sample.monotonic_ns,
        wall_ns=sample.wall_ns,
        available=facts.available.value,
        free=facts.free.value,
        total=facts.total.value,
        swapped_in_pages=facts.swapped_in_pages.value,
        swapped_out_pages=facts.swapped_out_pages.value,
        memory_stall_ns=None if pressure is None else round(pressure.full.total_s * NS_PER_S),
        driver_lines=int(lines) if lines.isascii() and lines.isdigit() else None,
        driver_line=last.strip(),
        oom_kills=facts.oom_kills.value,
        hottest=max(
            (*_temperatures(sample), *(one for card in gpus if (one := card.temperature) is not None)), default=None
        ),
        gpus=gpus,
        gpu_processes=None if processes is None else tuple(_process(one, ours) for one in processes),
    )


def why_missing(sample: Sample, field: str) -> str:
    """Return why a field of a tick is not known, in a few words."""
    source = _SOURCES.get(field, field)
    told = source in sample.texts
    asked = source in {" ".join(_QUERY), " ".join(_PROCESSES)}
    why = "does not tell it" if told or not asked else "has not answered yet"
    return f"{'nvidia-smi' if asked else source}: {sample.unread.get(source) or why}"


def _readings(sample: Sample) -> Readings:
    texts = sample.texts
    commands = {
        argv: present(CommandOutput(stdout=texts[words], stderr="", code=0))
        for argv in (_QUERY, _PROCESSES)
        if (words := " ".join(argv)) in texts
    }
    return Readings(files={path: present(texts[path]) for path in _MEMORY if path in texts}, commands=commands)


def _temperatures(sample: Sample) -> list[Celsius]:
    zones = (text.strip() for path, text in sample.texts.items() if path.startswith("/sys/class/thermal/"))
    values = [int(text) for text in zones if _TEMPERATURE.fullmatch(text)]
    return [value / 1000 for value in values if _COLDEST < value < _HOTTEST]


def _gpus(facts: GpuFacts) -> tuple[GpuTick, ...]:
    return tuple(
        GpuTick(
            sm_clock=one.sm_clock_hz.value,
            power=one.power.value,
            temperature=one.temperature.value,
            utilisation=one.utilization.value,
        )
        for one in facts.gpus.value or ()
    )


def _process(one: gpu.GpuProcess, ours: Container[int] | None) -> GpuProcess:
    return GpuProcess(
        pid=one.pid, name=one.name, memory=one.memory.value, ours=None if ours is None else one.pid in ours
    )
