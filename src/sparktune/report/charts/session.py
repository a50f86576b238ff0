"""The whole session: visits in their order, what they warmed up for, and what sensors said when each began."""

__all__ = ["Lane", "Reading", "SessionVisit", "session_timeline"]

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.report.svg.draw import (
    circle,
    hatched,
    hatching,
    line,
    rect,
    square,
    text,
    text_width,
    tooltip,
    x_axis,
    y_axis,
)
from sparktune.report.svg.markup import Markup, element, joined
from sparktune.report.svg.picture import Missing, Picture
from sparktune.report.svg.scale import Linear
from sparktune.units import Seconds, count_of, format_duration

_LEFT, _VISITS, _BAR, _LANE, _GAP = 56.0, 26.0, 30.0, 62.0, 26.0
_MINUTE, _HOUR = 60.0, 3600.0
_LONG_HOURS = 3 * _HOUR
_WIDE, _TICKS, _FEW_TICKS = 500.0, 8, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionVisit:
    """Seconds after the first visit began. ``measured_from`` is when the first trial was sent, None if not known."""

    arm: str
    block: int
    attempt: int
    began: Seconds
    ended: Seconds
    measured_from: Seconds | None
    state: str
    counts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a sensor said at a time, when an arm's visit began or, with ``end``, after its trials."""

    at: Seconds
    arm: str
    value: float
    end: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """Readings of one sensor; ``unit`` is written beside its name."""

    name: str
    unit: str
    readings: tuple[Reading, ...]


def session_timeline(visits: Sequence[SessionVisit], lanes: Sequence[Lane], width: float) -> Picture | Missing:
    """Draw visits above and lanes below; Missing without any visit."""
    if not visits:
        return Missing("no visit began")
    end = max(visit.ended for visit in visits)
    scale = Linear(low=0.0, high=max(end, 1.0), start=_LEFT, end=width - 12)
    clock, unit = _clock(scale)
    count = _TICKS if width > _WIDE else _FEW_TICKS
    bottom = _VISITS + _BAR + 24 + (_LANE + _GAP) * len(lanes)
    body = [
        hatching(),
        x_axis(clock, top=_VISITS - 6, bottom=bottom, words=lambda value: f"{value:g} {unit}", count=count),
        text(4, _VISITS + _BAR / 2 + 4, "visits", "t-muted t-small"),
        *(_visit(visit, scale) for visit in visits),
        *(_lane(lane, _VISITS + _BAR + 40 + (_LANE + _GAP) * at, scale) for at, lane in enumerate(lanes)),
    ]
    return Picture(
        name="session",
        title="The session: visits in the order in which they were made",
        description=_description(visits, lanes),
        body=joined(body),
        width=width,
        height=bottom + 24,
    )


def _clock(scale: Linear) -> tuple[Linear, str]:
    """Return the same scale in hours, minutes or seconds, so that its marks are round."""
    long, short = scale.high >= _LONG_HOURS, scale.high < 2 * _MINUTE
    size, unit = (_HOUR, "h") if long else (1.0, "s") if short else (_MINUTE, "min")
    return Linear(low=0.0, high=scale.high / size, start=scale.start, end=scale.end), unit


def _visit(visit: SessionVisit, scale: Linear) -> Markup:
    left, right = scale.place(visit.began), scale.place(visit.ended)
    arm = visit.arm.lower()
    what = f"{visit.arm}, block {visit.block}: {format_duration(visit.ended - visit.began)}, {visit.state}"
    parts: list[str] = [rect(left, _VISITS, max(1.5, right - left - 1), _BAR, f"f-{arm}-soft s-{arm}")]
    if visit.measured_from is not None:
        warm = scale.place(visit.measured_from)
        what += f", of that {format_duration(visit.measured_from - visit.began)} starting and warming up"
        parts.append(hatched(left, _VISITS, warm - left, _BAR))
    if not visit.counts:
        parts += [
            line(left, _VISITS, right, _VISITS + _BAR, "s-bad w2"),
            line(left, _VISITS + _BAR, right, _VISITS, "s-bad w2"),
        ]
    if right - left > text_width(visit.arm) + 4:
        parts.append(text((left + right) / 2, _VISITS + _BAR / 2 + 4, visit.arm, f"t-mid t-bold halo s-{arm}-soft"))
    if right - left > text_width(str(visit.block), 11):
        parts.append(text((left + right) / 2, _VISITS + _BAR + 14, str(visit.block), "t-mid t-muted t-small"))
    return element("g", tooltip(what), *parts)


def _lane(lane: Lane, top: float, scale: Linear) -> Markup:
    values = [reading.value for reading in lane.readings]
    low, high = min(values), max(values)
    room = max((high - low) * 0.15, abs(high) * 1e-3, 0.5)
    axis = Linear(low=low - room, high=high + room, start=top + _LANE, end=top + 12)
    points = [(scale.place(reading.at), axis.place(reading.value), reading) for reading in lane.readings]
    parts: list[str] = [
        text(4, top + 2, f"{lane.name}{f', {lane.unit}' if lane.unit else ''}", "t-muted t-small"),
        y_axis(axis, left=_LEFT, right=scale.end, words=lambda value: f"{value:,.6g}", count=3),
    ]
    parts += [line(one[0], one[1], other[0], other[1], "s-muted") for one, other in itertools.pairwise(points)]
    for x, y, reading in points:
        when = "after the trials" if reading.end else "at the start"
        seen = tooltip(f"{lane.name} {reading.value:,.6g} {lane.unit}, {reading.arm} {when}")
        arm = reading.arm.lower()
        look = f"{'f-surface' if reading.end else f'f-{arm}'} s-{arm}"
        parts.append(circle(x, y, 3.5, look, seen) if arm == "a" else square(x, y, 3.2, look, seen))
    return joined(parts)


def _description(visits: Sequence[SessionVisit], lanes: Sequence[Lane]) -> str:
    order = " ".join(visit.arm for visit in visits)
    parts = [f"{count_of(len(visits), 'visit')} in the order {order}"]
    lost = [visit for visit in visits if not visit.counts]
    if lost:
        parts.append(f"{len(lost)} do not count and are crossed out")
    for lane in lanes:
        values = [reading.value for reading in lane.readings]
        parts.append(f"{lane.name} from {min(values):,.6g} to {max(values):,.6g} {lane.unit}".rstrip())
    return "; ".join(parts)
