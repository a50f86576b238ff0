"""systemd: what boots, and which CPUs the manager and its slices may use - as files say it and as it is live.

Sources: systemd-system.conf(5) for CPUAffinity= and its drop-ins, systemd.resource-control(5) for AllowedCPUs=,
cgroup-v2.rst for cpuset. CPUAffinity= is applied by PID 1 to itself at boot and never again, so that file and live mask
differ until the next boot.
"""

__all__ = ["AffinityLine", "SliceCpus", "SystemdFacts"]

from dataclasses import dataclass

from sparktune.host.cpulist import CpuSet
from sparktune.model.observed import Observed


@dataclass(frozen=True, slots=True, kw_only=True)
class AffinityLine:
    """One ``CPUAffinity=`` in a [Manager] section that counts; lines add up, an empty one clears those before it."""

    path: str
    line: int
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceCpus:
    """``allowed`` is the unit's AllowedCPUs= property (ABSENT: not set); ``effective`` what its cgroup really has."""

    unit: str
    allowed: Observed[CpuSet]
    effective: Observed[CpuSet]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemdFacts:
    """``manager_live`` is the mask of PID 1 now; ``manager_wanted`` what all ``affinity_lines`` come to.

    ``manager_wanted`` is ABSENT when no file sets it.
    """

    default_target: Observed[str]
    affinity_lines: tuple[AffinityLine, ...]
    manager_wanted: Observed[CpuSet]
    manager_live: Observed[CpuSet]
    slices: tuple[SliceCpus, ...]
