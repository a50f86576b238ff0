"""The few statistics that metrics, checks and importers share, by one definition each.

Source: Jain's index: R. Jain, D. Chiu, W. Hawe, "A Quantitative Measure of Fairness", DEC-TR-301, 1984. Scaled median
absolute deviation: 1.4826 makes it estimate the standard deviation of a normal distribution. Outliers are shown and
never dropped, as hyperfine does.
"""

__all__ = ["first_is_slow", "jain_index", "nearest_rank", "relative_spread", "sample_sd", "trend"]

import math
from collections.abc import Sequence
from itertools import accumulate
from statistics import NormalDist, median, stdev

from sparktune.units import Ratio

_MAD_TO_SD = 1.4826
_OUTLIER_SDS = 5.0
# A shape counts as warm when its last waves are each within 5 % of their mean: steady trials differ by 10 % at most.
_WARM_LOG_RATIO = 0.10
_FEWEST_OTHERS = 2
_EXACT_UP_TO = 20  # beyond, the number of inversions is as good as normal
_TREND_ALPHA = 0.01  # for each of the two ways


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


def trend(values: Sequence[float]) -> Ratio | None:
    """Return how many times the later half of a series is the earlier half, or None when that is no trend.

    A trend is a change of the medians of more than 10 %, in an order that chance gives less than once in a hundred
    times; so it needs five values, all positive.
    """
    if not values or min(values) <= 0:
        return None
    size = len(values)
    falls = sum(later < earlier for place, earlier in enumerate(values) for later in values[place + 1 :])
    rises = sum(later > earlier for place, earlier in enumerate(values) for later in values[place + 1 :])
    against = size * (size - 1) // 2 - max(falls, rises)  # ties speak against either
    if _chance_of_inversions(size, against) >= _TREND_ALPHA:
        return None
    times = median(values[(size + 1) // 2 :]) / median(values[: size // 2])
    return times if abs(math.log(times)) > _WARM_LOG_RATIO else None


def _chance_of_inversions(size: int, most: int) -> float:
    """Return the share of all orders of ``size`` things in which at most ``most`` pairs stand the wrong way round."""
    if size > _EXACT_UP_TO:
        pairs = size * (size - 1)
        return NormalDist(pairs / 4, math.sqrt(pairs * (2 * size + 5) / 72)).cdf(most + 0.5)
    counts = [1]
    for place in range(2, size + 1):
        sums = [0, *accumulate(counts + [0] * (place - 1))]
        counts = [sums[index + 1] - sums[max(0, index + 1 - place)] for index in range(len(sums) - 1)]
    return sum(counts[: most + 1]) / math.factorial(size)
