"""The memory of nodes over one visit: what was available, the floor, and where a guard stopped it."""

__all__ = ["MemoryLane", "MemoryPicture", "memory_picture"]

from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.report.svg.draw import circle, fitting, line, path, text, tooltip, x_axis, y_axis
from sparktune.report.svg.markup import Markup, element, joined
from sparktune.report.svg.picture import Missing, Picture
from sparktune.report.svg.scale import Linear
from sparktune.units import Bytes, Seconds, format_bytes, format_duration

_LEFT, _TOP, _LANE, _GAP = 56.0, 24.0, 96.0, 34.0
_GIB, _MINUTE = 2.0**30, 60.0
_TICKS, _FEW_TICKS, _WIDE = 8, 4, 500.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLane:
    """One node: ``points`` are seconds after the visit began and available bytes; ``swing`` is of all that was read.

    ``stopped`` is what a guard said of this node, "" when it said nothing.
    """

    node: str
    points: tuple[tuple[Seconds, Bytes], ...]
    swing: Bytes
    stopped: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPicture:
    """The visit that is drawn, named by ``visit`` (``block 1, arm B``); ``floor`` None: no limit was set."""

    visit: str
    lanes: tuple[MemoryLane, ...]
    floor: Bytes | None = None


def memory_picture(shown: MemoryPicture, width: float) -> Picture | Missing:
    """Draw a lane for each node; Missing where nobody watched."""
    lanes = [lane for lane in shown.lanes if lane.points]
    if not lanes:
        return Missing("the memory of no node was watched")
    end = max(lane.points[-1][0] for lane in lanes)
    scale = Linear(low=0.0, high=max(end, 1.0), start=_LEFT, end=width - 12)
    size, unit = (_MINUTE, "min") if end >= 2 * _MINUTE else (1.0, "s")
    clock = Linear(low=0.0, high=scale.high / size, start=scale.start, end=scale.end)
    bottom = _TOP + (_LANE + _GAP) * len(lanes)
    count = _TICKS if width > _WIDE else _FEW_TICKS
    body = [
        x_axis(clock, top=_TOP - 6, bottom=bottom - 6, words=lambda value: f"{value:g} {unit}", count=count),
        *(_lane(lane, shown.floor, _TOP + (_LANE + _GAP) * place, scale) for place, lane in enumerate(lanes)),
    ]
    return Picture(
        name="memory",
        title=f"Available memory during {shown.visit}",
        description=_description(lanes, shown.floor),
        body=joined(body),
        width=width,
        height=bottom + 18,
    )


def _lane(lane: MemoryLane, floor: Bytes | None, top: float, scale: Linear) -> Markup:
    sizes = [size for _, size in lane.points] + ([floor] if floor is not None else [])
    low, high = min(sizes) / _GIB, max(sizes) / _GIB
    room = max((high - low) * 0.08, high * 1e-3, 1e-3)
    axis = Linear(low=max(0.0, low - room), high=high + room, start=top + _LANE, end=top + 14)
    places = [(scale.place(at), axis.place(size / _GIB)) for at, size in lane.points]
    parts: list[str] = [
        text(4, top + 4, fitting(f"{lane.node}, GiB available", scale.end - 4, 11), "t-muted t-small"),
        y_axis(axis, left=_LEFT, right=scale.end, words=lambda value: f"{value:,.4g}", count=4),
        path(places, "s-a w2 none"),
    ]
    if floor is not None:
        y = axis.place(floor / _GIB)
        words = f"floor {format_bytes(floor)}"
        parts += [
            line(_LEFT, y, scale.end, y, "s-bad dash"),
            text(_LEFT + 6, y - 4, words, "t-small t-muted halo"),
        ]
    if lane.stopped:
        x, y = places[-1]
        parts += [
            line(x, top + 14, x, top + _LANE, "s-bad w2"),
            circle(x, y, 4, "f-bad s-bad", tooltip(f"{format_duration(lane.points[-1][0])}: {lane.stopped}")),
        ]
    return element("g", *parts)


def _description(lanes: Sequence[MemoryLane], floor: Bytes | None) -> str:
    parts = []
    for lane in lanes:
        sizes = [size for _, size in lane.points]
        between = f"{format_bytes(min(sizes))} and {format_bytes(max(sizes))}"
        stopped = f", stopped: {lane.stopped}" if lane.stopped else ""
        parts.append(f"{lane.node} between {between}{stopped}")
    parts.append(f"the floor is {format_bytes(floor)}" if floor is not None else "no floor was set")
    return "; ".join(parts)
