"""Before a visit: the machines as warm as before the first one, where they have sensors that tell."""

__all__ = ["Gate", "NoGate", "Started"]

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """What the sensors said when a visit began, by node and name; ``notes`` are what has to be said of it."""

    sensors: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Gate(Protocol):
    """Waits until a visit may begin."""

    async def wait(self) -> Started:
        """Return when the machines are as warm as they were at the first call, or when that took too long."""


class NoGate:
    """Machines of which nothing can be read: says so, and never waits."""

    async def wait(self) -> Started:
        """Return at once."""
        return Started()
