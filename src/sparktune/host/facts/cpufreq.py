"""CPU frequency policies: driver, governor, limits, and whether the firmware chooses the frequency (CPPC autonomous).

Sources: Documentation/admin-guide/pm/cpufreq.rst and, for ``auto_select``, sysfs-devices-system-cpu. A policy is read
through each of its CPUs, so that a tree without links says the same as a live machine.
"""

__all__ = ["SOURCE", "CpuPolicy", "CpufreqFacts"]

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from sparktune.host.facts._shared import bounded_int, by_cpu, flag, word
from sparktune.model.node import FactSource
from sparktune.model.observed import Observed, absent
from sparktune.model.reads import ReadFile, ReadFiles, Readings

_T = TypeVar("_T")

_EACH = "/sys/devices/system/cpu/cpu[0-9]*/cpufreq"
_BOOST = "/sys/devices/system/cpu/cpufreq/boost"
_NAMES = (
    "scaling_driver",
    "scaling_governor",
    "auto_select",
    "boost",
    "scaling_min_freq",
    "scaling_max_freq",
    "cpuinfo_min_freq",
)
_HZ_PER_KHZ = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuPolicy:
    """How one CPU's frequency is set; frequencies in hertz.

    ``auto_select``: the firmware chooses (CPPC); ABSENT where the driver has no such file. ``min_hz`` and ``max_hz``
    are the limits that are set now, not those of the hardware.
    """

    cpu: int
    driver: Observed[str]
    governor: Observed[str]
    auto_select: Observed[bool]
    boost: Observed[bool]
    min_hz: Observed[int]
    max_hz: Observed[int]
    hardware_min_hz: Observed[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CpufreqFacts:
    """``policies`` by CPU, empty without frequency control; ``boost`` the switch for all, ABSENT on many machines."""

    policies: tuple[CpuPolicy, ...]
    boost: Observed[bool]


def _parse(readings: Readings) -> CpufreqFacts:
    files = {name: by_cpu(readings.matching(f"{_EACH}/{name}")) for name in _NAMES}
    cpus = sorted(set().union(*files.values()))

    def of(cpu: int, name: str, change: Callable[[str], _T]) -> Observed[_T]:
        return files[name].get(cpu, absent()).map(change)

    policies = tuple(
        CpuPolicy(
            cpu=cpu,
            driver=of(cpu, "scaling_driver", word),
            governor=of(cpu, "scaling_governor", word),
            auto_select=of(cpu, "auto_select", flag),
            boost=of(cpu, "boost", flag),
            min_hz=of(cpu, "scaling_min_freq", _hertz),
            max_hz=of(cpu, "scaling_max_freq", _hertz),
            hardware_min_hz=of(cpu, "cpuinfo_min_freq", _hertz),
        )
        for cpu in cpus
    )
    return CpufreqFacts(policies=policies, boost=readings.file(_BOOST).map(flag))


def _hertz(text: str) -> int:
    return bounded_int(text) * _HZ_PER_KHZ


SOURCE = FactSource(
    name="cpufreq",
    kind=CpufreqFacts,
    reads=(*(ReadFiles(pattern=f"{_EACH}/{name}") for name in _NAMES), ReadFile(path=_BOOST)),
    parse=_parse,
)
