"""What is read back of an arm before and after its visit."""

__all__ = ["LiveReading"]

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveReading:
    """Whether an arm is live, and what was seen; no secret is in it.

    ``values`` and ``wanted`` by name of setting, as texts that are the same in every visit of an arm as long as nothing
    changes: a visit whose ``values`` differ before and after is void. ``why`` says what is not live, "" when all is.
    ``notes`` say which process was read and what could not be compared. ``processes`` are all that belong to the
    service, by node, where a reader saw them; they are not compared.
    """

    ok: bool
    values: Mapping[str, str] = field(default_factory=dict)
    wanted: Mapping[str, str] = field(default_factory=dict)
    why: str = ""
    notes: tuple[str, ...] = ()
    processes: Mapping[str, frozenset[int]] = field(default_factory=dict)
