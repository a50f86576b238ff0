"""The memory of a node over a visit, small enough to be kept for every visit: the lowest of each stretch of time."""

__all__ = ["MemoryCurve", "MemoryPoint", "curve_of", "curves_by_visit"]

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sparktune.model.guard import HostTick
from sparktune.units import Bytes, Nanoseconds, Seconds

MOST_POINTS = 400
"""More than any picture has columns to draw them in."""

_NS_PER_S = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPoint:
    """``at_s`` is Unix time on the node; ``available`` and ``free`` as /proc/meminfo has them, None unread."""

    at_s: Seconds
    available: Bytes
    free: Bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCurve:
    """A node during one visit; ``lowest`` and ``highest`` are of all that was read, not of the points kept alone."""

    block: int
    attempt: int
    place: int
    node: str
    lowest: Bytes
    highest: Bytes
    ticks: int
    points: tuple[MemoryPoint, ...]

    @property
    def visit(self) -> tuple[int, int, int]:
        """Block, attempt and place of the visit."""
        return (self.block, self.attempt, self.place)

    @property
    def swing(self) -> Bytes:
        """The difference between most and least available memory of the visit."""
        return self.highest - self.lowest


def curve_of(
    node: str, ticks: Sequence[HostTick], *, visit: tuple[int, int, int], most: int = MOST_POINTS
) -> MemoryCurve | None:
    """Return what is kept of a node's ticks, oldest first; None when its memory was never read.

    Of each stretch the tick with the least available memory is kept, and always the first and the last of all.
    """
    known = [point for tick in ticks if (point := _point(tick)) is not None]
    if not known:
        return None
    sizes = [point.available for point in known]
    block, attempt, place = visit
    return MemoryCurve(
        block=block,
        attempt=attempt,
        place=place,
        node=node,
        lowest=min(sizes),
        highest=max(sizes),
        ticks=len(known),
        points=_thinned(known, most),
    )


def curves_by_visit(curves: Sequence[MemoryCurve]) -> Mapping[tuple[int, int, int], tuple[MemoryCurve, ...]]:
    """Return the curves of each visit, nodes in the order in which they were kept."""
    found: dict[tuple[int, int, int], tuple[MemoryCurve, ...]] = {}
    for curve in curves:
        found[curve.visit] = (*found.get(curve.visit, ()), curve)
    return found


def _point(tick: HostTick) -> MemoryPoint | None:
    if tick.available is None:
        return None
    wall: Nanoseconds = tick.wall_ns
    return MemoryPoint(at_s=wall / _NS_PER_S, available=tick.available, free=tick.free)


def _thinned(points: Sequence[MemoryPoint], most: int) -> tuple[MemoryPoint, ...]:
    if len(points) <= most:
        return tuple(points)
    inner, stretches = points[1:-1], most - 2
    kept = [points[0]]
    for number in range(stretches):
        stretch = inner[number * len(inner) // stretches : (number + 1) * len(inner) // stretches]
        if stretch:
            kept.append(min(stretch, key=lambda point: point.available))
    return (*kept, points[-1])
