"""The effect of a setting: paired log ratios of blocks, their mean, and its interval.

A block pairs two adjacent visits, so that what drifts from hour to hour cancels in its ratio. Simulations behind the
choice of this statistic, and of the looks, are in the tests (``make sim``).
"""

__all__ = ["Better", "Effect", "effect_of", "holm", "log_ratio", "p_value"]

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from sparktune.experiment.student import t_below, t_quantile

_WIDEST = 700.0  # its exponential and the reciprocal of that are floats


class Better(Enum):
    """Which way of a metric is better."""

    HIGHER = "higher"
    LOWER = "lower"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """``ratio`` above 1 means that the second arm is better; ``low`` and ``high`` hold it with ``confidence``.

    ``deviation`` is the standard deviation of the blocks' log ratios, ``wins`` how many blocks the second arm won.
    """

    ratio: float
    low: float
    high: float
    confidence: float
    blocks: int
    deviation: float
    wins: int


def log_ratio(first: float, second: float, better: Better) -> float:
    """Return how much better the second arm is, as the log of a ratio. Raises ValueError for values not above 0."""
    if not (first > 0 and second > 0 and math.isfinite(first) and math.isfinite(second)):
        message = f"no ratio of {first} and {second}: both have to be above 0"
        raise ValueError(message)
    return math.log(second / first) if better is Better.HIGHER else math.log(first / second)


def effect_of(ratios: Sequence[float], *, alpha: float, floor: float) -> Effect:
    """Return the effect of at least two log ratios, with the t interval of confidence 1 - alpha. Raises ValueError."""
    if len(ratios) < 2:  # noqa: PLR2004 - one block has no deviation
        message = f"{len(ratios)} blocks have no interval"
        raise ValueError(message)
    mean = statistics.fmean(ratios)
    deviation = max(statistics.stdev(ratios), floor)
    reach = t_quantile(1 - alpha / 2, len(ratios) - 1) * deviation / math.sqrt(len(ratios))
    return Effect(
        ratio=_exp(mean),
        low=_exp(mean - reach),
        high=_exp(mean + reach),
        confidence=1 - alpha,
        blocks=len(ratios),
        deviation=deviation,
        wins=sum(ratio > 0 for ratio in ratios),
    )


def _exp(logarithm: float) -> float:
    """Return the ratio of a logarithm, inside what a float and its reciprocal hold: few blocks may be worlds apart."""
    return math.exp(max(-_WIDEST, min(_WIDEST, logarithm)))


def p_value(ratios: Sequence[float], *, floor: float) -> float:
    """Return the two-sided probability of such a mean, or one further from 0, without an effect."""
    deviation = max(statistics.stdev(ratios), floor)
    t = statistics.fmean(ratios) / deviation * math.sqrt(len(ratios))
    return min(1.0, 2 * (1 - t_below(abs(t), len(ratios) - 1)))


def holm(p_values: Mapping[str, float], alpha: float) -> frozenset[str]:
    """Return the names whose effect holds when all are looked at together (Holm 1979, step-down)."""
    held: set[str] = set()
    ordered = sorted(p_values.items(), key=lambda entry: entry[1])
    for place, (name, value) in enumerate(ordered):
        if value > alpha / (len(ordered) - place):
            break
        held.add(name)
    return frozenset(held)
