"""Values, ratios and their ranges, as pictures need them."""

__all__ = ["Span", "change_tick", "change_words", "finite_logs", "log_span", "unit_of", "value_tick"]

import math
from collections.abc import Iterable
from dataclasses import dataclass

from sparktune.units import format_percent, format_rate

_TIMES = 3.0  # a change beyond this factor is read more easily as a factor
_LONG = 1e5  # from here on a number is written with an exponent
_FINE = 1e-4
_WHOLE = 1e-6  # closer to a whole number than this, percent need no decimals
_MOST_LOG = 500.0  # what a double holds, with room for an axis around it


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """An estimate with its interval, as ratios; ends that are not known are None."""

    ratio: float
    low: float | None = None
    high: float | None = None


def unit_of(metric: str) -> str:
    """Return the unit that a metric's name ends with."""
    if metric.endswith("tok_s"):
        return "tok/s"
    return "s" if metric.endswith("_s") else "share" if metric.endswith("_share") else "1"


def value_tick(value: float, unit: str) -> str:
    """Render a round value beside an axis, without decimals that say nothing."""
    if unit == "s":
        milliseconds = 0 < abs(value) < 1
        return f"{value * 1000 if milliseconds else value:g} {'ms' if milliseconds else 's'}"
    plain = value == 0 or _FINE <= abs(value) < 100 * _LONG
    return f"{value:,.10g}" if plain else f"{value:g}"


def change_tick(ratio: float) -> str:
    """Render a ratio beside an axis: ``+10 %``, from three times on as a factor."""
    if ratio > _TIMES or ratio < 1 / _TIMES:
        return _factor(ratio, "{:g}")
    change = ratio - 1
    if abs(change) < _WHOLE:
        return "0 %"
    whole = abs(change * 100 - round(change * 100)) < 100 * _WHOLE
    return format_percent(change, signed=True, digits=0 if whole else 1)


def change_words(ratio: float) -> str:
    """Render a ratio as a change; a large one as a factor, since thousands of percent are hard to read."""
    if ratio > _TIMES or ratio < 1 / _TIMES:
        return _factor(ratio, "")
    return format_percent(ratio - 1, signed=True)


def finite_logs(values: Iterable[float | None]) -> list[float]:
    """Return the logs of values above 0, kept to what a double can hold as a value again."""
    return [
        min(_MOST_LOG, max(-_MOST_LOG, math.log(value)))
        for value in values
        if value is not None and 0 < value < math.inf
    ]


def log_span(logs: Iterable[float], *, least: float, room: float = 0.06) -> tuple[float, float]:
    """Return the range of values that holds all logs, at least ``least`` wide (as a log), with some room."""
    known = list(logs) or [0.0]
    low, high = min(known), max(known)
    missing = max(0.0, least - (high - low)) / 2
    edge = (high - low + 2 * missing) * room
    return math.exp(low - missing - edge), math.exp(high + missing + edge)


def _factor(ratio: float, form: str) -> str:
    sign, factor = ("×", ratio) if ratio > 1 else ("÷", 1 / ratio if ratio > 0 else math.inf)  # noqa: RUF001
    if not factor < _LONG:
        return f"{sign}{factor:.0e}"
    return f"{sign}{form.format(factor) if form else format_rate(factor)}"
