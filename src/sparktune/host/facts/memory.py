"""Memory of a machine whose CPU and GPU share one pool: what is free at once, swap traffic, pressure, large blocks.

Sources: proc(5) for /proc/meminfo, /proc/vmstat and /proc/buddyinfo, Documentation/accounting/psi.rst for
/proc/pressure/memory. On unified memory nvidia-smi has no memory figure, so these files are the only ones.
"""

__all__ = ["BuddyZone", "MemoryFacts", "Pressure", "PressureLine"]

from dataclasses import dataclass

from sparktune.model.observed import Observed
from sparktune.units import Bytes, Ratio, Seconds


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
