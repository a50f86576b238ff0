"""Trials that stand apart: kept and shown, never dropped, and answered by one more trial in both arms of the block."""

__all__ = ["extra_trials", "log_deviation", "outliers_of"]

import math
import statistics
from collections.abc import Sequence

_MOST_EXTRA = 2  # per visit
_LEAST = 0.25  # of a log: about a quarter
_DEVIATIONS = 5.0
_TO_DEVIATION = 1.4826  # from a median absolute deviation, for normal values


def outliers_of(values: Sequence[float], deviation: float = 0.0) -> tuple[int, ...]:
    """Return the places of values that lie far from their median, by the log of their ratio to it.

    ``deviation`` is the median absolute deviation of such logs over all visits so far, 0 when it is not known yet.
    Source: the modified z score with median absolute deviation (Iglewicz and Hoaglin 1993), with a floor.
    """
    middle = statistics.median(values)
    limit = max(_LEAST, _DEVIATIONS * _TO_DEVIATION * deviation)
    return tuple(place for place, value in enumerate(values) if abs(math.log(value / middle)) > limit)


def extra_trials(values: Sequence[float], deviation: float = 0.0) -> int:
    """Return how many further trials a visit gets for its outliers, and the other visit of its block too."""
    return min(_MOST_EXTRA, len(outliers_of(values, deviation)))


def log_deviation(visits: Sequence[Sequence[float]]) -> float:
    """Return the median absolute deviation of the logs of values to their visit's median, 0 when there are none.

    Every visit's median has the deviation 0 to itself: it says nothing, and is left out once per visit.
    """
    apart = [
        deviation
        for values in visits
        for deviation in sorted(abs(math.log(value / statistics.median(values))) for value in values)[1:]
    ]
    return statistics.median(apart) if apart else 0.0
