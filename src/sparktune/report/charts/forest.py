"""One row per metric: how much better B is, with the interval, the primary on top and guards with their margin.

All metrics share one axis, on which better is to the right whichever way a metric counts.
"""

__all__ = ["Forest", "ForestRow", "forest"]

import math
from dataclasses import dataclass

from sparktune.report.charts.numbers import Span, change_tick, finite_logs
from sparktune.report.svg.draw import circle, fitting, line, path, rect, square, text, text_width, tooltip, x_axis
from sparktune.report.svg.markup import Markup, joined
from sparktune.report.svg.picture import Missing, Picture
from sparktune.report.svg.scale import Log

_WIDE = 500.0
_NAME, _WORDS = 184.0, 262.0
_TWO_LINES = 46.0
_LEAST, _MOST = math.log(1.06), math.log(4.0)
_SIZES = {"primary": 6.0, "guard": 4.5, "observed": 3.5}


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestRow:
    """``kind`` is primary, guard or observed. ``span`` is above 1 where B is better; None with ``words`` saying why.

    ``floor`` and ``ceiling`` bound the band of the margin: for the primary what is not worth having, for a guard what
    is allowed (its ceiling is None). ``inside`` says what it is to lie in that of the primary.
    """

    name: str
    kind: str
    span: Span | None
    words: str
    floor: float | None = None
    ceiling: float | None = None
    inside: str = "not worth having"
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """Rows in their order: the primary first. ``versus`` names what each row is held against, "" for arms A and B."""

    rows: tuple[ForestRow, ...]
    noun: str = "metric"
    versus: str = ""


def forest(plan: Forest, width: float) -> Picture | Missing:
    """Draw the rows; Missing when none has an effect."""
    if all(row.span is None for row in plan.rows):
        return Missing(
            f"nothing is compared with {plan.versus} here"
            if plan.versus
            else "no effect can be had yet: that takes two complete blocks"
        )
    wide = _beside(plan, width)
    high = 30.0 if wide else 46.0 if width >= _WIDE or not plan.versus else 62.0
    top, bottom = 26.0, 26.0 + high * len(plan.rows)
    limit = _limit(plan)
    start, end = (_NAME, width - _WORDS) if wide else (14.0, width - 14.0)
    scale = Log(low=math.exp(-limit), high=math.exp(limit), start=start, end=end)
    one = scale.place(1.0)
    body = [
        x_axis(scale, top=top, bottom=bottom, words=change_tick, count=6 if wide else 4),
        text(one - 8, 15, "← worse" if plan.versus else "← B worse", "t-muted t-small t-end"),
        text(one + 8, 15, "better →" if plan.versus else "B better →", "t-muted t-small"),
        *(_row(row, top + high * place, high, scale, width, wide=wide) for place, row in enumerate(plan.rows)),
        line(one, top, one, bottom, "s-ink"),
    ]
    return Picture(
        name="forest",
        title=f"How much better than {plan.versus}, {plan.noun} by {plan.noun}"
        if plan.versus
        else f"How much better B is, {plan.noun} by {plan.noun}",
        description="; ".join(f"{row.name} ({row.kind}): {row.words}" for row in plan.rows),
        body=joined(body),
        width=width,
        height=bottom + 24,
    )


def _limit(plan: Forest) -> float:
    """Return how far the axis goes, as a log: to what decides; what is only observed may double that.

    Where nothing decides, it goes as far as what is observed.
    """
    decides = [log for row in plan.rows for log in finite_logs((row.floor, row.ceiling))]
    alone = all(row.kind == "observed" for row in plan.rows)
    if alone:
        decides += [log for row in plan.rows if row.span for log in finite_logs((row.span.ratio,))]
    observed = []
    for row in plan.rows:
        span = row.span
        if span is not None and row.kind == "observed":
            observed += finite_logs((span.ratio, span.low, span.high) if alone else (span.ratio,))
        elif span is not None:
            decides += finite_logs((span.ratio, span.low, span.high))
    limit = max(map(abs, decides), default=0.0)
    limit = max(limit, min(2 * limit, max(map(abs, observed), default=0.0)))
    return min(_MOST, max(_LEAST, limit * 1.12))


def _beside(plan: Forest, width: float) -> bool:
    """Whether words stand beside their intervals: on a wide page, unless names are longer than what is left for them.

    Names of metrics may be cut, since they differ at their ends; configurations differ anywhere.
    """
    return width >= _WIDE and not (plan.versus and any(text_width(row.name) > _NAME - 12 for row in plan.rows))


def _row(row: ForestRow, top: float, high: float, scale: Log, width: float, *, wide: bool) -> Markup:
    y = top + (high / 2 if wide else high - 13)
    look = "t-bold" if row.kind == "primary" else ""
    kind = "" if row.kind == "observed" else f" · {row.kind}"
    words = _words(row, f"{row.name}{kind}", look, top, width, beside=y if wide else None, lines=high > _TWO_LINES)
    return joined((_band(row, y, scale), *words, _interval(row, y, scale)))


def _words(
    row: ForestRow, name: str, look: str, top: float, width: float, *, beside: float | None, lines: bool
) -> list[Markup]:
    """Return a row's name and numbers: beside its interval, above it on one line, or above it on two."""
    seen = tooltip(row.words)
    if beside is not None:
        return [
            text(4, beside + 4, fitting(name, _NAME - 12), look),
            text(width - _WORDS + 14, beside + 4, _whole_numbers(row.words, _WORDS - 14, 12.5), look, seen),
        ]
    if lines:
        return [
            text(4, top + 14, fitting(name, width - 8), look),
            text(4, top + 30, _whole_numbers(row.words, width - 8, 11), f"{look} t-muted t-small".strip(), seen),
        ]
    return [
        text(4, top + 16, fitting(name, width * 0.5), look),
        text(width - 4, top + 16, _whole_numbers(row.words, width * 0.52, 11), f"{look} t-end t-small", seen),
    ]


def _whole_numbers(words: str, width: float, size: float) -> str:
    """Return words that fit, at the cost of the word before the numbers: a number that is cut is another number."""
    if text_width(words, size) > width:
        words = words.rpartition(": ")[2]
    return fitting(words, width, size)


def _band(row: ForestRow, y: float, scale: Log) -> Markup:
    if row.floor is None:
        return Markup("")
    left = scale.place(row.floor)
    if row.ceiling is not None:
        right = scale.place(row.ceiling)
        seen = tooltip(f"within {change_tick(row.floor)} and {change_tick(row.ceiling)}: {row.inside}")
        return joined(
            (
                rect(left, y - 10, right - left, 20, "f-grid", seen),
                *(line(x, y - 10, x, y + 10, "s-muted dot") for x in (left, right)),
            )
        )
    seen = tooltip(f"the guard allows no less than {change_tick(row.floor)}")
    ends = [(left + 5, y - 10), (left, y - 10), (left, y + 10), (left + 5, y + 10)]
    return joined((path(ends, "s-muted none"), rect(left, y - 10, 3, 20, "f-grid", seen)))


def _interval(row: ForestRow, y: float, scale: Log) -> Markup:
    if row.span is None:
        return text(scale.place(1.0) + 8, y + 4, "unknown", "t-muted t-small")
    low, high = row.span.low, row.span.high
    look = "s-ink w3" if row.kind == "primary" else "s-ink w2" if row.kind == "guard" else "s-muted w2"
    parts = []
    if low is not None and high is not None:
        left, right = scale.place(low), scale.place(high)
        parts.append(line(left, y, right, y, look, tooltip(row.words)))
        for value, x, way in ((low, left, 1), (high, right, -1)):
            if not scale.inside(value):  # it goes on beyond the axis
                parts.append(path([(x + 7 * way, y - 5), (x + 7 * way, y + 5), (x, y)], "f-ink", closed=True))
    x, half = scale.place(row.span.ratio), _SIZES[row.kind]
    if not scale.inside(row.span.ratio):
        return joined(parts)  # the arrow stands for it, the words have the number
    if row.kind == "observed":
        parts.append(circle(x, y, half, "f-surface s-ink w2"))
    else:
        parts.append(square(x, y, half, f"{'f-b' if row.span.ratio >= 1 else 'f-a'}"))
    return joined(parts)
