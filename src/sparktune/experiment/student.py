"""Student's t distribution, for intervals of a few blocks: no library for three numbers.

Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7 (the distribution as an incomplete beta
function) and 26.5.8 (its continued fraction, evaluated by Lentz's method).
"""

__all__ = ["t_below", "t_quantile"]

import math
from functools import lru_cache

_TINY = 1e-300
_EXACT = 1e-15
_MOST_TERMS = 500
_HALVINGS = 200


def t_below(t: float, freedom: float) -> float:
    """Return the probability that t with ``freedom`` degrees (> 0) lies below a value."""
    tail = 0.5 * _incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)
    return 1 - tail if t > 0 else tail


@lru_cache(maxsize=1024)
def t_quantile(probability: float, freedom: float) -> float:
    """Return the value below which t lies with a probability inside (0, 1). Raises ValueError for another one."""
    if not 0 < probability < 1:
        message = f"no probability inside (0, 1): {probability}"
        raise ValueError(message)
    if probability < 1 / 2:
        return -t_quantile(1 - probability, freedom)
    low, high = 0.0, 1.0
    while t_below(high, freedom) < probability:
        low, high = high, high * 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in {low, high}:
            break
        low, high = (middle, high) if t_below(middle, freedom) < probability else (low, middle)
    return (low + high) / 2


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function, for x inside [0, 1]."""
    if x in {0.0, 1.0}:
        return x
    if x > (a + 1) / (a + b + 2):  # there the fraction converges fast for the mirrored function
        return 1 - _incomplete_beta(1 - x, b, a)
    front = math.exp(
        a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) - math.log(a)
    )
    return front * _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away(1 + term * d)
            c = _away(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < _EXACT:
            break
    return value


def _away(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
