"""What an experiment can find before it starts, and whether going on is worth it."""

__all__ = [
    "Noise",
    "NoiseSplit",
    "best_trials_per_visit",
    "chance_of_verdict",
    "provable_noise",
    "smallest_detectable",
    "split_noise",
]

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sparktune.experiment.rules import Rules
from sparktune.experiment.student import t_quantile
from sparktune.experiment.verdict import Verdict, judge
from sparktune.units import Ratio, Seconds

_POWER = 0.8
_SIMULATED = 400
_MOST_TRIALS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseSplit:
    """Standard deviations of a value's log: from trial to trial of one visit, and beside it from visit to visit."""

    trial: float
    visit: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """``trial`` and ``visit`` are deviations of the primary's log, from trial to trial and from visit to visit.

    ``visit_cost_s`` is what a visit takes besides its trials, ``trial_cost_s`` one trial of all cells; ``best_trials``
    are the trials per visit that tell most for their time, None where the times are not known.
    """

    trial: Ratio
    visit: Ratio
    visits: int
    visit_cost_s: Seconds | None = None
    trial_cost_s: Seconds | None = None
    best_trials: int | None = None


def smallest_detectable(deviation: float, blocks: int, alpha: float) -> float:
    """Return the smallest effect, as a share, that so many blocks find in four of five experiments.

    ``deviation`` is that of the blocks' log ratios. Source: the usual sum of quantiles for the power of a t test.
    """
    freedom = blocks - 1
    reach = t_quantile(1 - alpha / 2, freedom) + t_quantile(_POWER, freedom)
    return math.expm1(reach * deviation / math.sqrt(blocks))


def provable_noise(margin: Ratio, blocks: int, alpha: float) -> float:
    """Return the largest deviation of blocks' log ratios with which so many blocks show equal arms to be equal.

    They do in four of five experiments: the interval has to fit inside the margin on both sides. Source: the usual sum
    of quantiles for the power of two one-sided tests (Schuirmann 1987) when there is no difference.
    """
    freedom = blocks - 1
    reach = t_quantile(1 - alpha / 2, freedom) + t_quantile((1 + _POWER) / 2, freedom)
    return math.log1p(margin) * math.sqrt(blocks) / reach


def split_noise(visits: Sequence[Sequence[float]]) -> NoiseSplit:
    """Split the noise of visits to one setting (each with the values of its trials) into its two parts.

    One-way analysis of variance on logs, a part below zero counts as zero. Raises ValueError for fewer than two visits
    of two trials. Source: Kalibera and Jones, Rigorous benchmarking in reasonable time, ISMM 2013, section 6.
    """
    logs = [[math.log(value) for value in visit] for visit in visits if len(visit) > 1]
    if len(logs) < 2:  # noqa: PLR2004 - one visit says nothing of others
        message = f"{len(logs)} visits with two trials: two are needed"
        raise ValueError(message)
    within = statistics.fmean(statistics.variance(visit) for visit in logs)
    trials = statistics.fmean(len(visit) for visit in logs)
    between = statistics.variance([statistics.fmean(visit) for visit in logs]) - within / trials
    return NoiseSplit(trial=math.sqrt(within), visit=math.sqrt(max(between, 0.0)))


def best_trials_per_visit(noise: NoiseSplit, *, visit_cost: Seconds, trial_cost: Seconds) -> int:
    """Return the trials per visit that tell most for their time: more of what is cheap, where the noise is.

    Source: Kalibera and Jones 2013, section 6.2: the square root of the ratio of costs times that of variances.
    """
    if noise.visit == 0:
        return _MOST_TRIALS
    best = math.sqrt(visit_cost / trial_cost) * noise.trial / noise.visit
    return max(1, min(_MOST_TRIALS, math.ceil(best)))


def chance_of_verdict(ratios: Sequence[float], rules: Rules, draw: Callable[[], float]) -> float:
    """Return the share of futures, as the blocks so far would have them, that reach a verdict by the last look.

    ``draw`` gives standard normal numbers from a seeded generator. Each future has an own mean and deviation, as
    uncertain as the blocks leave them.
    """
    reached = sum(_future(list(ratios), rules, draw) for _ in range(_SIMULATED))
    return reached / _SIMULATED


def _future(ratios: list[float], rules: Rules, draw: Callable[[], float]) -> bool:
    freedom = len(ratios) - 1
    spread = max(statistics.stdev(ratios), rules.floor)
    spread *= math.sqrt(freedom / sum(draw() ** 2 for _ in range(freedom)))
    mean = statistics.fmean(ratios) + draw() * spread / math.sqrt(len(ratios))
    while len(ratios) < rules.last.blocks:
        ratios.append(mean + draw() * spread)
        if rules.look_after(len(ratios)) and judge(ratios, rules).verdict not in {None, Verdict.INCONCLUSIVE}:
            return True
    return False
