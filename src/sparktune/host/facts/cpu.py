"""CPUs: core types, what is online or isolated, SMT, caches, and whether this is a GB10.

Sources: sysfs-devices-system-cpu and sysfs-devices-soc in the kernel's Documentation/ABI. A GB10 is identified by its
SoC id (``jep106:0426:8901``) and its pair of MIDR parts, never by DMI: every maker of one writes another name there.
"""

__all__ = ["CacheDomain", "CpuFacts"]

from dataclasses import dataclass

from sparktune.host.core_types import CoreSplit, CoreType
from sparktune.host.cpulist import CpuSet
from sparktune.model.observed import Observed
from sparktune.units import Bytes


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
