"""Speculative decoding: how often the draft token at each position is accepted."""

__all__ = ["AcceptanceSeries", "acceptance"]

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.report.svg.draw import rect, text, tooltip, y_axis
from sparktune.report.svg.markup import Markup, joined
from sparktune.report.svg.picture import Missing, Picture
from sparktune.report.svg.scale import Linear
from sparktune.units import Ratio, format_percent

_LEFT, _TOP, _PLOT = 44.0, 30.0, 150.0
_WORDS = 34.0  # what the number over a bar takes


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptanceSeries:
    """Shares by position from 0; ``look`` is ``a`` or ``b``."""

    name: str
    look: str
    shares: tuple[Ratio, ...]


def acceptance(series: Sequence[AcceptanceSeries], cell: str, width: float) -> Picture | Missing:
    """Draw bars by position, the arms side by side; Missing when no engine counts them."""
    known = [one for one in series if any(math.isfinite(share) for share in one.shares)]
    if not known:
        return Missing("the engine has no counters of speculative decoding by draft position, or drafted nothing")
    positions = max(len(one.shares) for one in known)
    scale = Linear(low=0.0, high=1.0, start=_TOP + _PLOT, end=_TOP)
    slot = min(150.0, (width - _LEFT - 8) / positions)
    right = _LEFT + slot * positions
    body: list[str] = [
        y_axis(scale, left=_LEFT, right=right, words=lambda value: format_percent(value, digits=0), count=4)
    ]
    for at, one in enumerate(known):
        body += [*_legend(one, at), _bars(one, at, len(known), slot, scale)]
    body += _positions(positions, slot)
    told = (f"{one.name}: {', '.join(map(_percent, one.shares))}" for one in known)
    return Picture(
        name="acceptance",
        title=f"Accepted draft tokens by position, {cell}",
        description="; ".join(told),
        body=joined(body),
        width=width,
        height=_TOP + _PLOT + 40,
    )


def _legend(one: AcceptanceSeries, at: int) -> list[Markup]:
    left = _LEFT + at * 60
    return [rect(left, 6, 10, 10, f"f-{one.look}"), text(left + 15, 15, one.name, "t-small")]


def _positions(count: int, slot: float) -> list[Markup]:
    below = _TOP + _PLOT
    numbers = [
        text(_LEFT + slot * (place + 0.5), below + 16, str(place), "t-muted t-small t-mid") for place in range(count)
    ]
    return [*numbers, text(_LEFT, below + 32, "draft position", "t-muted t-small")]


def _bars(one: AcceptanceSeries, at: int, count: int, slot: float, scale: Linear) -> Markup:
    wide = slot * 0.76 / count
    parts: list[str] = []
    for place, share in enumerate(one.shares):
        if not math.isfinite(share):
            continue
        x, y = _LEFT + slot * (place + 0.12) + wide * at, scale.place(share)
        seen = tooltip(f"{one.name}, position {place}: {_percent(share)}")
        parts.append(rect(x + 1, y, wide - 2, scale.start - y, f"f-{one.look}", seen))
        if wide >= _WORDS:
            parts.append(text(x + wide / 2, y - 4, format_percent(share, digits=0), "t-mid t-small"))
    return joined(parts)


def _percent(share: float) -> str:
    return format_percent(share) if math.isfinite(share) else "unknown"
