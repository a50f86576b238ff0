"""Throughput against waiting: every configuration that was measured, which of them no other beats in both, and limits.

A point is left and up of another when it is better in both; nothing weighs one against the other here.
"""

__all__ = ["Pareto", "ParetoPoint", "frontier", "pareto"]

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sparktune.report.bench.words import value_words
from sparktune.report.charts.numbers import value_tick
from sparktune.report.svg.draw import (
    circle,
    fitting,
    line,
    path,
    rect,
    square,
    text,
    text_width,
    tooltip,
    x_axis,
    y_axis,
)
from sparktune.report.svg.markup import Markup, joined
from sparktune.report.svg.picture import Missing, Picture
from sparktune.report.svg.scale import Linear

_WIDE = 500.0
_LEFT, _RIGHT, _TOP, _PLOT, _AXIS = 58.0, 18.0, 34.0, 260.0, 40.0
_ROW, _KEY = 19.0, 12.0
_ROOM, _LEAST = 0.08, 0.1  # around the points, and the narrowest an axis may be, as shares
_LABEL = 8.0
_SIZE, _BOLD = 12.0, 13.5  # of letters; bold ones are wider


@dataclass(frozen=True, slots=True, kw_only=True)
class ParetoPoint:
    """``kind`` is baseline, candidate or winner; ``unfit`` says which limit it is beyond, "" for none."""

    name: str
    x: float
    y: float
    kind: Literal["baseline", "candidate", "winner"] = "candidate"
    unfit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pareto:
    """``x`` is better when it is less, ``y`` when it is more. Limits are None where none was declared.

    ``absent`` are configurations that are not in it, with the reason.
    """

    x_name: str
    x_unit: str
    y_name: str
    y_unit: str
    points: tuple[ParetoPoint, ...]
    x_limit: float | None = None
    y_limit: float | None = None
    absent: tuple[tuple[str, str], ...] = ()


def frontier(points: Sequence[ParetoPoint]) -> frozenset[int]:
    """Return the places of points that no other beats in both; what is beyond a limit beats nothing and is none."""
    fit = [place for place, point in enumerate(points) if not point.unfit]
    return frozenset(
        place for place in fit if not any(_beats(points[other], points[place]) for other in fit if other != place)
    )


def pareto(plan: Pareto, width: float) -> Picture | Missing:
    """Draw the points, numbered, with what each number is below; Missing when none is known in both."""
    points = [one for one in plan.points if math.isfinite(one.x) and math.isfinite(one.y)]
    if not points:
        return Missing(f"no visit has both {plan.x_name} and {plan.y_name}")
    best = frontier(points)
    bottom = _TOP + _PLOT
    across = _scale([one.x for one in points], plan.x_limit, _LEFT, width - _RIGHT)
    up = _scale([one.y for one in points], plan.y_limit, bottom, _TOP)
    rows = joined(_rows(plan, points, best, width, bottom + _AXIS))
    high = _ROW if width >= _WIDE else 2 * _ROW - 3
    body = [
        x_axis(across, top=_TOP, bottom=bottom, words=lambda value: value_tick(value, plan.x_unit), count=6),
        y_axis(up, left=_LEFT, right=width - _RIGHT, words=lambda value: value_tick(value, plan.y_unit)),
        text(4, 14, fitting(f"↑ {plan.y_name}{_unit(plan.y_unit)}", width - 8), "t-muted t-small"),
        text(width - _RIGHT, bottom + 30, f"← {plan.x_name}", "t-muted t-small t-end"),
        *_limits(plan, across, up, width),
        *_front(points, best, across, up),
        *_marks(points, best, plan, across, up),
        *_numbers(points, across, up),
        rows,
    ]
    return Picture(
        name="pareto",
        title=f"{plan.y_name} against {plan.x_name}, by configuration",
        description=_description(plan, points, best),
        body=joined(body),
        width=width,
        height=bottom + _AXIS + high * len(points) + 4,
    )


def _beats(one: ParetoPoint, other: ParetoPoint) -> bool:
    return one.x <= other.x and one.y >= other.y and (one.x < other.x or one.y > other.y)


def _scale(values: Sequence[float], limit: float | None, start: float, end: float) -> Linear:
    known = [*values, *([limit] if limit is not None else [])]
    low, high = min(known), max(known)
    missing = max(0.0, _LEAST * abs(high) - (high - low)) / 2
    room = (high - low + 2 * missing) * _ROOM
    least = low - missing - room
    return Linear(low=max(0.0, least) if low >= 0 else least, high=high + missing + room, start=start, end=end)


def _limits(plan: Pareto, across: Linear, up: Linear, width: float) -> Iterator[Markup]:
    right, bottom = width - _RIGHT, _TOP + _PLOT
    if plan.x_limit is not None:
        x = across.place(plan.x_limit)
        seen = tooltip(f"{plan.x_name} may be {value_words(plan.x_limit, plan.x_unit)} at most")
        yield rect(x, _TOP, right - x, _PLOT, "f-grid soft", seen)
        yield line(x, _TOP, x, bottom, "s-bad dash")
        yield text(x - 4, _TOP + 11, f"at most {value_tick(plan.x_limit, plan.x_unit)}", "t-muted t-small t-end")
    if plan.y_limit is not None:
        y = up.place(plan.y_limit)
        seen = tooltip(f"{plan.y_name} has to be {value_words(plan.y_limit, plan.y_unit)} at least")
        yield rect(_LEFT, y, right - _LEFT, bottom - y, "f-grid soft", seen)
        yield line(_LEFT, y, right, y, "s-bad dash")
        yield text(_LEFT + 4, y - 4, f"at least {value_tick(plan.y_limit, plan.y_unit)}", "t-muted t-small")


def _front(points: Sequence[ParetoPoint], best: frozenset[int], across: Linear, up: Linear) -> Iterator[Markup]:
    """Draw the line of those that no other beats: between two of them nothing was measured, so it goes in steps."""
    ordered = sorted((points[place] for place in best), key=lambda one: one.x)
    steps: list[tuple[float, float]] = []
    for one in ordered:
        if steps:
            steps.append((across.place(one.x), steps[-1][1]))
        steps.append((across.place(one.x), up.place(one.y)))
    if len(ordered) > 1:
        yield path(steps, "s-b none dot")


def _marks(
    points: Sequence[ParetoPoint], best: frozenset[int], plan: Pareto, across: Linear, up: Linear
) -> Iterator[Markup]:
    for place, one in enumerate(points):
        x, y = across.place(one.x), up.place(one.y)
        yield _mark(one, x, y, tooltip(f"{place + 1}: {_said(plan, one, on_it=place in best)}"), on_it=place in best)


def _mark(one: ParetoPoint, x: float, y: float, seen: str = "", *, on_it: bool) -> Markup:
    told = [seen] if seen else []
    ring = [circle(x, y, 9, "none s-ink w2")] if one.kind == "winner" else []
    if one.unfit:
        cross = [path([(x - 4, y - way * 4), (x + 4, y + way * 4)], "s-bad none w2") for way in (1, -1)]
        return joined((circle(x, y, 7, "f-surface", *told), *cross, *ring))
    look = "f-b" if on_it else "f-surface s-muted w2"
    if one.kind == "baseline":
        return square(x, y, 5, look, *told)
    return joined((*ring, circle(x, y, 5, look, *told)))


def _numbers(points: Sequence[ParetoPoint], across: Linear, up: Linear) -> Iterator[Markup]:
    """Write each number beside its mark, at the first of four corners where nothing else is."""
    marks = [(across.place(one.x), up.place(one.y)) for one in points]
    taken: list[tuple[float, float]] = []
    for number, (x, y) in enumerate(marks, 1):
        half = text_width(str(number), 11) / 2
        corners = [(x + way * (_LABEL + 3 + half), y + down) for down in (-_LABEL, _LABEL + 8) for way in (1, -1)]
        free = [one for one in corners if not any(_near(one, other) for other in (*taken, *marks))]
        place = (free or corners)[0]
        taken.append((place[0], place[1] - 4))
        yield text(*place, str(number), "t-small t-mid")


def _near(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return abs(one[0] - other[0]) < 11 and abs(one[1] - 4 - other[1]) < 10  # noqa: PLR2004 - a digit's size


def _rows(
    plan: Pareto, points: Sequence[ParetoPoint], best: frozenset[int], width: float, top: float
) -> Iterator[Markup]:
    wide = width >= _WIDE
    for place, one in enumerate(points):
        y = top + (_ROW if wide else 2 * _ROW - 3) * place + 12
        values = f"{_values(plan, one)}{_standing(one, on_it=place in best)}"
        look = "t-bold" if one.kind == "winner" else ""
        number = str(place + 1)
        yield text(22, y, number, "t-small t-end")
        yield _mark(one, 36, y - 4, on_it=place in best)
        shown = fitting(values, width * 0.6 if wide else width - 56, 11)
        room = width - 54 - (text_width(shown, 11) + 14 if wide else 4)
        yield text(50, y, fitting(one.name, room, _BOLD if look else _SIZE), look, tooltip(one.name))
        yield text(*((width - 4, y) if wide else (50, y + 15)), shown, f"t-muted t-small{' t-end' if wide else ''}",
                   tooltip(values))  # fmt: skip


def _values(plan: Pareto, one: ParetoPoint) -> str:
    return f"{value_words(one.y, plan.y_unit)}{_unit(plan.y_unit)}, {value_words(one.x, plan.x_unit)}"


def _standing(one: ParetoPoint, *, on_it: bool) -> str:
    if one.unfit:
        return f" · beyond a limit: {one.unfit}"
    return "" if on_it else " · beaten by another"


def _said(plan: Pareto, one: ParetoPoint, *, on_it: bool) -> str:
    kind = "" if one.kind == "candidate" else f" ({one.kind})"
    return f"{one.name}{kind}: {_values(plan, one)}{_standing(one, on_it=on_it)}"


def _description(plan: Pareto, points: Sequence[ParetoPoint], best: frozenset[int]) -> str:
    told = [f"{place + 1} {_said(plan, one, on_it=place in best)}" for place, one in enumerate(points)]
    told += [f"{name} is not in it: {why}" for name, why in plan.absent]
    return "; ".join(told)


def _unit(unit: str) -> str:
    return f" {unit}" if unit not in {"", "1", "s"} else ""
