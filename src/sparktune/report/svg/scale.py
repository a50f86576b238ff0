"""From values to places: a linear and a logarithmic scale, with marks at round numbers."""

__all__ = ["Linear", "Log", "round_step"]

import math
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_DECADE = 10.0
_FEW_DECADES = 3.0
_NARROW = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Linear:
    """Values from ``low`` to ``high`` to places from ``start`` to ``end``; what lies outside is put at the edge."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        """Return where a value is."""
        width = self.high - self.low
        share = (value - self.low) / width if width > 0 else 0.5
        return self.start + (self.end - self.start) * min(1.0, max(0.0, share))

    def ticks(self, count: int = 5) -> tuple[float, ...]:
        """Return about ``count`` round values inside."""
        return _multiples(self.low, self.high, count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """As ``Linear``, for values above 0: equal ratios are equally far apart."""

    low: float
    high: float
    start: float
    end: float

    def __post_init__(self) -> None:
        """Refuse values that have no logarithm. Raises ValueError."""
        if not 0 < self.low <= self.high < math.inf:
            message = f"no logarithmic scale from {self.low} to {self.high}"
            raise ValueError(message)

    def place(self, value: float) -> float:
        """Return where a value is; 0 and less is at the lower edge."""
        if value <= 0:
            return self.start
        low, high = math.log(self.low), math.log(self.high)
        share = (math.log(min(value, self.high)) - low) / (high - low) if high - low > _NARROW else 0.5
        return self.start + (self.end - self.start) * min(1.0, max(0.0, share))

    def inside(self, value: float) -> bool:
        """Whether a value is shown where it is, not at the edge."""
        return self.low <= value <= self.high

    def ticks(self, count: int = 5) -> tuple[float, ...]:
        """Return about ``count`` round values inside: multiples of a step, or decades when there are several."""
        decades = math.log10(self.high) - math.log10(self.low)
        if decades < 1:
            return _multiples(self.low, self.high, count)
        first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
        step = max(1, math.ceil((last - first + 1) / count))
        inner = (1.0, 2.0, 5.0) if decades <= _FEW_DECADES else (1.0,)
        found = (many * _DECADE**power for power in range(first - 1, last + 1, step) for many in inner)
        return tuple(value for value in found if self.low <= value <= self.high)


def round_step(span: float, count: int) -> float:
    """Return a step of 1, 2, 2.5 or 5 times a power of ten that divides ``span`` into about ``count`` parts.

    A span whose parts are too small for a float has the step 0.
    """
    rough = span / max(1, count)
    if not rough > 0:
        return 0.0
    power = _DECADE ** math.floor(math.log10(rough))
    return next(step * power for step in _STEPS if step * power >= rough * (1 - _NARROW))


def _multiples(low: float, high: float, count: int) -> tuple[float, ...]:
    span = high - low
    if not span > abs(high) * _NARROW or not math.isfinite(span):
        return (low,)
    step = round_step(span, count)
    if not step > 0:
        return (low,)
    first = math.ceil(low / step - _NARROW)
    return tuple(place * step for place in range(first, math.floor(high / step + _NARROW) + 1))
