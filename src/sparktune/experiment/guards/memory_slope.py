"""memory-slope: at the rate of the last seconds, available memory reaches the floor within a few more.

Looks at: MemAvailable over the last six seconds, in three spans of two.
Stops when: it fell in each of the three spans, and at the smallest of the three rates it reaches ``available_floor``
    within ``seconds_to_floor``; within twice that while an engine starts or reads its first long prompt.
Unknown when: there are no six seconds yet, or MemAvailable is not told.
One large piece that is taken at once - a cache of keys and values, a model that is mapped - touches two spans at most,
    and says nothing of the next seconds: it does not stop. A fall in steps at most two seconds apart is one in every
    span.
Source: ours; the kernel needs seconds to give memory back, and a load needs some to end.
"""

__all__ = ["GUARD"]

from sparktune.experiment.guards._shared import changes, fraction, shown_rate, trip
from sparktune.model.guard import Guard, GuardView, Limits, Trip
from sparktune.units import format_bytes

_ID = "memory-slope"
_SPAN_S = 2.0
_SPANS = 3
_HINT = (
    "something takes memory steadily and does not stop by itself: look at the curve, and at what grew (sparktune "
    "doctor); set a smaller context or fewer sequences"
)


def _judge(view: GuardView, limits: Limits) -> Trip | None:
    last, floor, most_s = view.ticks[-1], limits.available_floor, limits.seconds_to_floor
    if floor is None or most_s is None or last.available is None:
        return None
    rates = changes(view.ticks, "available", _SPAN_S, _SPANS)
    if rates is None or max(rates) >= 0:
        return None
    rate, most_s = -max(rates), most_s / fraction(view)
    left_s = max(last.available - floor, 0) / rate
    if left_s >= most_s:
        return None
    evidence = (
        f"MemAvailable is {format_bytes(last.available)} and has fallen by {shown_rate(rate)} or more for "
        f"{_SPAN_S * _SPANS:.0f} s: it reaches the floor of {format_bytes(floor)} in {left_s:.1f} s "
        f"(limit {most_s:.1f} s)"
    )
    return trip(_ID, view, evidence, _HINT)


GUARD = Guard(
    id=_ID,
    title="Available memory not about to reach its floor",
    why="A floor alone is seen when it is crossed; whoever takes 1 GiB per second is three seconds from a hang then.",
    source="ours",
    needs=("available",),
    limit="seconds_to_floor",
    judge=_judge,
)
