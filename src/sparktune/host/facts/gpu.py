"""GPUs as nvidia-smi sees them; on a GB10 many of its fields say ``[N/A]`` or ``Not Supported``.

Field names: ``nvidia-smi --help-query-gpu``; bits of the clock reasons: NVML's nvmlClocksEventReasons.
"""

__all__ = ["Gpu", "GpuFacts", "GpuProcess"]

from dataclasses import dataclass

from sparktune.model.observed import Observed
from sparktune.units import Bytes, Celsius, Ratio, Watts


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
