"""The few statistics that metrics, checks and importers share, by one definition each.

Source: Jain's index: R. Jain, D. Chiu, W. Hawe, "A Quantitative Measure of Fairness", DEC-TR-301, 1984. Scaled median
absolute deviation: 1.4826 makes it estimate the standard deviation of a normal distribution. Outliers are shown and
never dropped, as hyperfine does.
"""

__all__ = ["first_is_slow", "jain_index", "nearest_rank", "relative_spread", "sample_sd"]

import math
from collections.abc import Sequence
from statistics import median, stdev

from sparktune.units import Ratio

_MAD_TO_SD = 1.4826
_OUTLIER_SDS = 5.0
# A shape counts as warm when its last waves are each within 5 % of their mean: steady trials differ by 10 % at most.
_WARM_LOG_RATIO = 0.10
_FEWEST_OTHERS = 2


def jain_index(values: Sequence[float]) -> float | None:
    """Return ``(sum x)^2 / (n * sum x^2)``, 1/n (one has all) .. 1 (all have the same); None when all are 0."""
    squares = math.fsum(value * value for value in values)
    return math.fsum(values) ** 2 / (len(values) * squares) if squares else None


def nearest_rank(values: Sequence[float], share: Ratio) -> float:
    """Return the smallest observed value that at least ``share`` of all values do not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def sample_sd(values: Sequence[float]) -> float | None:
    """Return the standard deviation with n - 1 in the denominator; None below two values."""
    return stdev(values) if len(values) > 1 else None


def relative_spread(values: Sequence[float]) -> Ratio:
    """Return the largest distance of a value from their mean, relative to the mean."""
    mean = math.fsum(values) / len(values)
    return max(abs(value / mean - 1.0) for value in values)


def first_is_slow(values: Sequence[float], *, higher_is_faster: bool) -> Ratio | None:
    """Return how many times slower the first value is than the median of the others, or None when it is not.

    Slow means: its log-ratio exceeds both 0.10 and five (scaled median) absolute deviations of the others, so that a
    noisy series needs a larger step. Needs three values, all positive; else None.
    """
    first, others = values[0] if values else 0.0, values[1:]
    if len(others) < _FEWEST_OTHERS or first <= 0 or min(others) <= 0:
        return None
    logs = [math.log(value) for value in others]
    middle = median(logs)
    slower = (middle - math.log(first)) if higher_is_faster else (math.log(first) - middle)
    noise = _MAD_TO_SD * median(abs(value - middle) for value in logs)
    return math.exp(slower) if slower > max(_WARM_LOG_RATIO, _OUTLIER_SDS * noise) else None
