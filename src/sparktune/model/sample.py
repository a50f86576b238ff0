"""One tick of a node that is watched."""

__all__ = ["Sample"]

from collections.abc import Mapping
from dataclasses import dataclass, field

from sparktune.units import Nanoseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Raw text by path, or by a command's words joined by spaces, as it was at the node's two clocks.

    ``tick`` counts multiples of the interval; ``missed`` of them were skipped right before this one. ``unread`` says
    why a command or a log has no text.
    """

    tick: int
    monotonic_ns: Nanoseconds
    wall_ns: Nanoseconds
    missed: int = 0
    texts: Mapping[str, str] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)
