"""How the warm-up of a cell ended."""

__all__ = ["WarmupOutcome", "WarmupPlan"]

from dataclasses import dataclass

from sparktune.units import Ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmupPlan:
    """``waves`` None warms up until the last windows agree; 0 does not warm up; n sends n waves."""

    waves: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmupOutcome:
    """``steady`` is None when no rule was asked for (off, or a fixed number of waves).

    ``spread`` is the relative distance of the last windows from their mean, when there were enough of them.
    """

    waves: int
    steady: bool | None
    spread: Ratio | None = None
    why: str = ""
