"""One line per block from A to B, on a logarithmic axis, and beside them what they come to.

A steeper line is a larger effect wherever it is, since equal ratios are equally high.
"""

__all__ = ["PairedBlock", "Pairs", "paired_blocks"]

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.report.bench.words import value_words
from sparktune.report.charts.numbers import Span, change_words, finite_logs, log_span, value_tick
from sparktune.report.svg.draw import circle, line, path, square, text, tooltip, y_axis
from sparktune.report.svg.markup import Markup, element, joined
from sparktune.report.svg.picture import Missing, Picture
from sparktune.report.svg.scale import Log
from sparktune.units import count_of

_LEFT, _TOP, _PLOT, _BOTTOM, _EFFECT = 56.0, 34.0, 250.0, 330.0, 84.0
_LEAST = 0.06  # the axis holds at least 6 %, so that noise does not look like much
_ROOM = 0.1  # how far, as a log, single trials may stretch it; those beyond are marked at its edge
_BEYOND = 0.35  # how far, as a log, an interval may stretch the axis beyond the values
_NARROW_SLOT = 22.0
_MOST_LOG = 700.0  # what a double holds


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedBlock:
    """A block's value in each arm, the single trials' beside; ``first`` is the arm that was visited first."""

    label: str
    first: str
    a: float
    b: float
    a_trials: tuple[float, ...] = ()
    b_trials: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """``change`` is what B / A came to, with its interval; ``more_is_better`` gives lines their colour."""

    metric: str
    unit: str
    more_is_better: bool
    blocks: tuple[PairedBlock, ...]
    change: Span | None
    confidence: str = ""


def paired_blocks(pairs: Pairs, width: float) -> Picture | Missing:
    """Draw the blocks; Missing when none is complete."""
    blocks = [block for block in pairs.blocks if finite_logs((block.a, block.b))[1:]]
    if not blocks:
        return Missing("no block is complete: there is nothing to pair")
    middle = math.exp(statistics.fmean(finite_logs(block.a for block in blocks)))
    scale = _scale(pairs, blocks, middle)
    slots = width - _LEFT - _EFFECT - 8
    body = [
        y_axis(scale, left=_LEFT, right=_LEFT + slots, words=lambda value: value_tick(value, pairs.unit)),
        _legend(pairs),
        *(_block(pairs, block, place, slots / len(blocks), scale) for place, block in enumerate(blocks)),
        _effect(pairs, middle, scale, width - _EFFECT / 2, _LEFT + slots),
    ]
    return Picture(
        name="paired-blocks",
        title=f"{pairs.metric} in each block, A and B",
        description=_description(pairs, blocks),
        body=joined(body),
        width=width,
        height=_BOTTOM,
    )


def _scale(pairs: Pairs, blocks: Sequence[PairedBlock], middle: float) -> Log:
    logs = finite_logs(value for block in blocks for value in (block.a, block.b))
    least, most = min(logs) - _ROOM, max(logs) + _ROOM
    trials = finite_logs(value for block in blocks for value in (*block.a_trials, *block.b_trials))
    logs += [min(most, max(least, log)) for log in trials]
    if pairs.change is not None:
        low, high = min(logs) - _BEYOND, max(logs) + _BEYOND
        ends = finite_logs((pairs.change.low, pairs.change.ratio, pairs.change.high))
        logs += [min(high, max(low, math.log(middle) + end)) for end in ends]
    low, high = log_span(logs, least=_LEAST)
    return Log(low=low, high=high, start=_TOP + _PLOT, end=_TOP)


def _legend(pairs: Pairs) -> Markup:
    unit = {"s": "", "tok/s": "tok/s", "share": ""}.get(pairs.unit, "")
    better = "more is better" if pairs.more_is_better else "less is better"
    return joined(
        (
            text(_LEFT, 16, f"{unit}{', ' if unit else ''}{better}", "t-muted t-small"),
            circle(_LEFT + 152, 12, 4, "f-a s-a"),
            text(_LEFT + 160, 16, "A", "t-small"),
            square(_LEFT + 182, 12, 4, "f-b s-b"),
            text(_LEFT + 190, 16, "B", "t-small"),
        )
    )


def _block(pairs: Pairs, block: PairedBlock, place: int, slot: float, scale: Log) -> Markup:
    centre = _LEFT + slot * (place + 0.5)
    reach = min(16.0, slot * 0.26)
    left, right = centre - reach, centre + reach
    better = (block.b > block.a) == pairs.more_is_better
    seen = f"block {block.label}, {block.first} first: A to B {change_words(block.b / block.a)}"
    parts = [
        *(_trial(left, value, "a", pairs, scale) for value in block.a_trials if value > 0),
        *(_trial(right, value, "b", pairs, scale) for value in block.b_trials if value > 0),
        line(
            left,
            scale.place(block.a),
            right,
            scale.place(block.b),
            f"w2 {'s-b' if better else 's-a dash'}",
            tooltip(seen),
        ),
        circle(left, scale.place(block.a), 4, f"s-a w2 {'f-a' if block.first == 'A' else 'f-surface'}"),
        square(right, scale.place(block.b), 4, f"s-b w2 {'f-b' if block.first == 'B' else 'f-surface'}"),
    ]
    if slot >= _NARROW_SLOT:
        order = "AB" if block.first == "A" else "BA"
        parts += [
            text(centre, _TOP + _PLOT + 17, block.label, "t-small t-mid"),
            text(centre, _TOP + _PLOT + 32, order, "t-muted t-small t-mid"),
        ]
    return joined(parts)


def _trial(x: float, value: float, arm: str, pairs: Pairs, scale: Log) -> Markup:
    y = scale.place(value)
    if scale.inside(value):
        return circle(x, y, 1.8, f"f-{arm} soft") if arm == "a" else square(x, y, 1.6, f"f-{arm} soft")
    back = -6 if value < scale.low else 6
    seen = tooltip(f"a trial beyond the axis: {value_words(value, pairs.unit)}")
    corners = [(x - 4, y + back), (x + 4, y + back), (x, y)]
    return element("g", seen, path(corners, f"s-{arm} f-surface w2", closed=True))


def _effect(pairs: Pairs, middle: float, scale: Log, x: float, left: float) -> Markup:
    start, end = left + 8, x + 22
    base = scale.place(middle)
    parts = [
        line(start, base, end, base, "s-a dash w2", tooltip("the geometric mean of A")),
        text(end + 3, base + 4, "A", "t-small"),
        text(x, 16, "B / A", "t-small t-mid t-bold"),
    ]
    change = pairs.change
    if change is None or not finite_logs((change.ratio,)):
        parts.append(text(x, _TOP + _PLOT + 17, "no interval", "t-muted t-small t-mid"))
        return joined(parts)
    if change.low is not None and change.high is not None:
        parts.append(_bar(middle, change.low, change.high, scale, x))
    point = scale.place(_times(middle, change.ratio))
    parts += [
        square(x, point, 5, "f-b"),
        text(x, _TOP + _PLOT + 17, change_words(change.ratio), "t-bold t-mid"),
        text(x, _TOP + _PLOT + 32, f"{pairs.confidence} interval" if pairs.confidence else "", "t-muted t-small t-mid"),
    ]
    return joined(parts)


def _bar(middle: float, low: float, high: float, scale: Log, x: float) -> Markup:
    parts = []
    ends = []
    for value, down in ((_times(middle, low), 1), (_times(middle, high), -1)):
        y = scale.place(value)
        ends.append(y)
        if scale.inside(value):
            parts.append(line(x - 7, y, x + 7, y, "s-b w2"))
        else:  # it goes on beyond the axis
            parts.append(path([(x - 6, y - 8 * down), (x + 6, y - 8 * down), (x, y)], "f-b", closed=True))
    interval = f"interval {change_words(low)} to {change_words(high)}"
    return joined((line(x, ends[0], x, ends[1], "s-b w3", tooltip(interval)), *parts))


def _times(value: float, ratio: float) -> float:
    logs = finite_logs((value, ratio))
    if len(logs) > 1:
        return math.exp(min(_MOST_LOG, max(-_MOST_LOG, sum(logs))))
    return math.inf if ratio > 0 else 0.0


def _description(pairs: Pairs, blocks: Sequence[PairedBlock]) -> str:
    won = sum((block.b > block.a) == pairs.more_is_better and block.a != block.b for block in blocks)
    order = " ".join("AB" if block.first == "A" else "BA" for block in blocks)
    parts = [f"{count_of(len(blocks), 'block')} in the order {order}; B was better in {won}"]
    if pairs.change is not None:
        parts.append(f"B against A: {change_words(pairs.change.ratio)}")
    hidden = len(pairs.blocks) - len(blocks)
    if hidden:
        parts.append(f"{count_of(hidden, 'block')} without a value above 0 not drawn")
    return "; ".join(parts)
