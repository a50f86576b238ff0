"""Interrupts of devices that hit performance cores often enough to matter, between two looks at their counts.

What is below the rate of the tick that every busy core takes anyway (CONFIG_HZ, 250 to 1,000 a second) is not told: at
some microseconds for each, a thousand are less than one hundredth of a core. Only PCI devices are meant: timers and
interrupts between cores have no vector that could be moved. Sources: proc(5) for /proc/interrupts; kernel/Kconfig.hz.
"""

__all__ = ["TABLE_READ", "irq_hits", "rates_on"]

from collections.abc import Iterable, Sequence
from typing import Final

from sparktune.host.cpulist import CpuSet
from sparktune.host.facts.interrupts import (
    InterruptFacts,
    InterruptRate,
    interrupt_rates,
    likely_managed,
    parse_interrupts,
)
from sparktune.host.irq_targets import targets_of
from sparktune.model.place import IrqHit
from sparktune.model.profile import Profile
from sparktune.model.reads import ReadFile
from sparktune.units import Seconds

_LEAST_PER_S: Final = 1000.0
TABLE_READ: Final = ReadFile(path="/proc/interrupts", most_bytes=4 * 1024 * 1024)
_MANAGED: Final = "leave it: the kernel places it itself, and lets nobody move it"


def rates_on(cpus: CpuSet, before: str, after: str, elapsed_s: Seconds) -> tuple[InterruptRate, ...]:
    """Return the rates on these CPUs of interrupts that hit them often enough; none where a text is no table."""
    try:
        rates = interrupt_rates(parse_interrupts(before), parse_interrupts(after), elapsed_s)
    except ValueError:
        return ()
    there = (
        InterruptRate(
            irq=rate.irq, name=rate.name, per_cpu={cpu: one for cpu, one in rate.per_cpu.items() if cpu in cpus}
        )
        for rate in rates
    )
    return tuple(rate for rate in there if sum(rate.per_cpu.values()) >= _LEAST_PER_S)


def irq_hits(rates: Sequence[InterruptRate], facts: InterruptFacts) -> tuple[IrqHit, ...]:
    """Return those of PCI devices, the most frequent first, with what could be done about each."""
    owners = {one.irq: one.device for one in facts.interrupts.value or ()}
    of_profile = _meant(facts)
    hits = (_hit(rate, owners.get(rate.irq), of_profile) for rate in rates)
    return tuple(sorted((hit for hit in hits if hit is not None), key=lambda hit: (-hit.per_s, hit.irq)))


def _meant(facts: InterruptFacts) -> frozenset[str]:
    targets = targets_of(facts, Profile()).value
    return frozenset(device.address for device in targets.devices) if targets is not None else frozenset()


def _hit(rate: InterruptRate, device: str | None, of_profile: Iterable[str]) -> IrqHit | None:
    if device is None:
        return None
    named = "" if device in of_profile else f" --irq-device {device}"
    then = f"see what would move it: sparktune host plan{named} (change irq-affinity)"
    movable = not likely_managed(rate.name)
    return IrqHit(
        irq=rate.irq,
        name=rate.name,
        device=device,
        per_cpu=rate.per_cpu,
        movable=movable,
        then=then if movable else _MANAGED,
    )
