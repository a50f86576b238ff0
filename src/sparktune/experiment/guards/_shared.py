"""What several guards need: how fast a counter or a size has moved lately, and a trip with its evidence."""

__all__ = ["changes", "fraction", "recent", "shown_rate", "trip"]

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from operator import attrgetter

from sparktune.model.guard import GuardView, HostTick, Trip
from sparktune.units import NS_PER_S, Nanoseconds, Ratio, Seconds, format_bytes, seconds_between

_TIGHT: Ratio = 0.5
_monotonic_ns = attrgetter("monotonic_ns")


def trip(guard: str, view: GuardView, evidence: str, hint: str) -> Trip:
    """Return a trip at the last tick of a view."""
    last = view.ticks[-1] if view.ticks else view.load[-1]
    return Trip(guard=guard, node=view.node, evidence=evidence, hint=hint, monotonic_ns=last.monotonic_ns)


def fraction(view: GuardView) -> Ratio:
    """Return what is left of a tolerance: half while an engine starts or reads its first long prompt, else all."""
    return _TIGHT if view.tight else 1.0


def changes(ticks: Sequence[HostTick], field: str, span_s: Seconds, count: int) -> tuple[float, ...] | None:
    """Return the change per second of a field in each of the last ``count`` spans, the last one first.

    None where there is no such history, the value is not known at a span's ends, or a tick is missing there. A span
    ends at the ticks nearest to it, at most a quarter of a span away, and is as long as these are apart.
    """
    ends = [
        _nearest(ticks, ticks[-1].monotonic_ns - round(place * span_s * NS_PER_S), span_s) for place in range(count + 1)
    ]
    found: list[float] = []
    for later, earlier in pairwise(ends):
        if later is None or earlier is None:
            return None
        new, old = getattr(later, field), getattr(earlier, field)
        elapsed = seconds_between(earlier.monotonic_ns, later.monotonic_ns)
        if new is None or old is None or elapsed <= 0:
            return None
        found.append((new - old) / elapsed)
    return tuple(found)


def recent(ticks: Sequence[HostTick], span_s: Seconds) -> tuple[HostTick, ...]:
    """Return the ticks of the last seconds, oldest first."""
    begin = ticks[-1].monotonic_ns - round(span_s * NS_PER_S)
    return tuple(ticks[bisect_left(ticks, begin, key=_monotonic_ns) :])


def shown_rate(per_second: float) -> str:
    """Return bytes per second for a person."""
    return f"{format_bytes(round(per_second))}/s"


def _nearest(ticks: Sequence[HostTick], instant: Nanoseconds, span_s: Seconds) -> HostTick | None:
    after = bisect_left(ticks, instant, key=_monotonic_ns)
    best = min(ticks[max(after - 1, 0) : after + 1], key=lambda one: abs(one.monotonic_ns - instant))
    return best if abs(best.monotonic_ns - instant) <= span_s / 4 * NS_PER_S else None
