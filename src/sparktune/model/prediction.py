"""What arithmetic says of a configuration before it is started, and what was measured of it afterwards."""

__all__ = ["Outcome", "Prediction"]

from dataclasses import dataclass

from sparktune.units import Ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """``metric`` is ``acceptance_length``, ``kv_requests`` or ``graph_requests``; ``value`` in that metric's unit.

    ``at_most``: the value is a bound, and no more than that is known. ``step_ratio`` is the break-even: how long a
    decode step may take, against one of the baseline, for the configuration to be as fast as that; None where it says
    nothing of speed. ``why`` has the numbers and what was taken for granted.
    """

    key: str
    metric: str
    value: float
    why: str
    at_most: bool = False
    step_ratio: Ratio | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A prediction beside what was measured; None where nothing was, and ``why`` says so.

    ``step_ratio`` is how long a step took against the baseline's, so that the break-even can be held against it.
    """

    prediction: Prediction
    measured: float | None
    step_ratio: Ratio | None = None
    why: str = ""
