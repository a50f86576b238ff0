"""The effect of a setting on what has no true zero: paired differences of blocks, in the value's own unit.

Degrees Celsius have no ratio. A block pairs two adjacent visits, so that what drifts from hour to hour is small in its
difference; it turns its sign with the order of the visits, which alternates, and so cancels over an even number of
blocks and is left by one in an odd number. Looks and their error rates are those of ``experiment/rules.py``: the t
interval is the same for differences as for logs of ratios.
"""

__all__ = ["Difference", "DifferenceJudgement", "DifferenceRules", "difference_of", "judge_differences"]

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from sparktune.experiment.rules import ANECDOTE_BELOW, Look, Rules
from sparktune.experiment.student import t_quantile
from sparktune.experiment.verdict import Verdict

_LEAST = 2  # one block has no deviation


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """``mean`` is the second arm less the first; ``low`` and ``high`` hold it with ``confidence``.

    ``deviation`` is the standard deviation of the blocks' differences, ``below`` in how many the second arm was lower.
    """

    mean: float
    low: float
    high: float
    confidence: float
    blocks: int
    deviation: float
    below: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceRules:
    """What may be concluded of differences where lower is better; all but the looks is in the value's unit.

    ``margin`` is the smallest difference worth having, ``equivalence`` the largest that does not matter, ``floor`` the
    smallest deviation of blocks that is believed: sensors have a grain.
    """

    looks: tuple[Look, ...] = field(default_factory=lambda: Rules().looks)
    margin: float = 0.5
    equivalence: float = 0.5
    floor: float = 0.1

    def __post_init__(self) -> None:
        """Refuse looks that decide on an anecdote, and sizes that are none. Raises ValueError."""
        counts = [look.blocks for look in self.looks]
        if not counts or counts[0] < ANECDOTE_BELOW or counts != sorted(set(counts)):
            message = f"looks after {counts} blocks: at least {ANECDOTE_BELOW}, rising"
            raise ValueError(message)
        if not all(math.isfinite(size) and size > 0 for size in (self.margin, self.equivalence, self.floor)):
            message = f"margin {self.margin}, equivalence {self.equivalence}, floor {self.floor}: all above 0"
            raise ValueError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceJudgement:
    """Fields as in ``experiment/verdict.py``: ``verdict`` None is none yet, or with ``anecdote`` none to be had."""

    verdict: Verdict | None
    effect: Difference | None
    anecdote: bool = False
    below_margin: bool = False


def difference_of(differences: Sequence[float], *, alpha: float, floor: float) -> Difference:
    """Return the mean of at least two differences, with the t interval of confidence 1 - alpha. Raises ValueError."""
    if len(differences) < _LEAST:
        message = f"{len(differences)} blocks have no interval"
        raise ValueError(message)
    mean = statistics.fmean(differences)
    deviation = max(statistics.stdev(differences), floor)
    reach = t_quantile(1 - alpha / 2, len(differences) - 1) * deviation / math.sqrt(len(differences))
    return Difference(
        mean=mean,
        low=mean - reach,
        high=mean + reach,
        confidence=1 - alpha,
        blocks=len(differences),
        deviation=deviation,
        below=sum(one < 0 for one in differences),
    )


def judge_differences(differences: Sequence[float], rules: DifferenceRules) -> DifferenceJudgement:
    """Judge the differences of all blocks so far, at the looks that were declared and nowhere else.

    Between looks the interval has the confidence of the next one, so that interval and verdict always agree.
    """
    blocks, last = len(differences), rules.looks[-1]
    coming = next((look for look in rules.looks if look.blocks >= blocks), last)
    effect = difference_of(differences, alpha=coming.alpha, floor=rules.floor) if blocks >= _LEAST else None
    if effect is None or blocks < ANECDOTE_BELOW:
        return DifferenceJudgement(verdict=None, effect=effect, anecdote=True)
    if blocks < last.blocks and blocks != coming.blocks:
        return DifferenceJudgement(verdict=None, effect=effect)
    verdict = _concluded(effect, rules)
    if verdict is None and blocks >= last.blocks:
        verdict = Verdict.INCONCLUSIVE
    decided = verdict in {Verdict.IMPROVED, Verdict.REGRESSED}
    return DifferenceJudgement(
        verdict=verdict, effect=effect, below_margin=not decided and (effect.low > 0 or effect.high < 0)
    )


def _concluded(effect: Difference, rules: DifferenceRules) -> Verdict | None:
    if effect.high < 0 and effect.mean <= -rules.margin:
        return Verdict.IMPROVED
    if effect.low > 0 and effect.mean >= rules.margin:
        return Verdict.REGRESSED
    return Verdict.EQUIVALENT if -rules.equivalence < effect.low and effect.high < rules.equivalence else None
