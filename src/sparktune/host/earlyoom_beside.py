"""earlyoom's limits beside the floor of the guards: which of the two acts first.

Source: earlyoom(1): it sends SIGTERM once available memory and free swap are both at or below their limits.
"""

__all__ = ["EARLYOOM_READS", "earlyoom_beside"]

from typing import Final

from sparktune.host.earlyoom import limits_of
from sparktune.host.facts import irq_services, memory
from sparktune.host.facts.irq_services import IrqServicesFacts
from sparktune.host.facts.memory import MemoryFacts
from sparktune.model.reads import Read, Readings
from sparktune.units import Bytes, format_bytes

EARLYOOM_READS: Final[tuple[Read, ...]] = (*irq_services.SOURCE.reads, *memory.SOURCE.reads)
"""What has to be read of a node for it."""


def earlyoom_beside(readings: Readings, floor: Bytes | None) -> str:
    """Say when earlyoom acts on a node, and whether a guard with this floor comes first; "" where it does not run."""
    services: IrqServicesFacts = irq_services.SOURCE.parse(readings)
    facts: MemoryFacts = memory.SOURCE.parse(readings)
    service = services.service("earlyoom")
    if service is None or service.active != "active":
        return ""
    arguments = services.earlyoom_arguments.value or service.command.value or ""
    limits, total = limits_of(arguments), facts.total.value
    if limits is None or total is None:
        return f"earlyoom is active with {arguments or 'arguments that are not known'}: when it acts is not known"
    at = limits.memory_of(total)
    said = f"earlyoom is active ({arguments}) and may end processes below {format_bytes(at)} of available memory"
    if floor is None:
        return f"{said}; no floor of ours is set"
    if floor > at:
        return f"{said}; our floor of {format_bytes(floor)} is above that, so that a guard comes first"
    return (
        f"{said}; our floor of {format_bytes(floor)} is not above that: it may come first, and leaves no trace in an "
        "engine's log. Raise --available-floor, or stop it for the time of the measurement"
    )
