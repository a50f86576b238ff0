"""How much a count of successes proves: the exact interval of Clopper and Pearson.

Source: Clopper and Pearson, The use of confidence or fiducial limits, Biometrika 26 (1934). The ends are the shares for
which the count, or more (less) of it, has half the remaining probability; here they are found by halving, from sums of
binomial terms, which is exact for the few dozen questions that there are.
"""

__all__ = ["Interval", "binomial_at_least", "exact_interval", "highest_share"]

import math
from collections.abc import Callable
from dataclasses import dataclass

from sparktune.units import Ratio

_HALVINGS = 60
_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """``count`` of ``total``, and the shares that it does not contradict with this ``confidence``."""

    count: int
    total: int
    low: Ratio
    high: Ratio
    confidence: Ratio = _CONFIDENCE


def exact_interval(count: int, total: int, confidence: Ratio = _CONFIDENCE) -> Interval:
    """Return the two-sided interval; of nothing asked it is all shares. Raises ValueError for an impossible count."""
    if not 0 <= count <= total:
        message = f"{count} of {total}"
        raise ValueError(message)
    tail = (1 - confidence) / 2
    low = 0.0 if count == 0 else _solve(lambda share: binomial_at_least(count, total, share) < tail)
    high = 1.0 if count == total else highest_share(count, total, tail)
    return Interval(count=count, total=total, low=low, high=high, confidence=confidence)


def highest_share(count: int, total: int, alpha: float) -> Ratio:
    """Return the bound from above, on one side, with the error rate ``alpha``."""
    if count == total:
        return 1.0
    return _solve(lambda share: 1 - binomial_at_least(count + 1, total, share) > alpha)


def binomial_at_least(count: int, total: int, share: Ratio) -> float:
    """Return the probability of ``count`` or more successes of ``total``."""
    return math.fsum(
        math.comb(total, hits) * share**hits * (1 - share) ** (total - hits) for hits in range(count, total + 1)
    )


def _solve(below: Callable[[float], bool]) -> float:
    """Return the share up to which ``below`` holds."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return (low + high) / 2
