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
_NORMAL = statistics.NormalDist()
_HALVINGS = 40
_STEPS = 120  # of the numeric mean over spreads: a power is right to a thousandth
_SPREADS = 7.0  # standard deviations of a spread, about 1, beyond which there is nothing
_WIDEST = 700.0  # of a log: its exponential is a float


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


def smallest_detectable(
    deviation: float, blocks: int, alpha: float, *, margin: Ratio = 0.0, floor: float = 0.0
) -> float:
    """Return the smallest effect, as a share, that so many blocks (three or more) show in four of five experiments.

    ``deviation`` is that of the blocks' log ratios, above 0. Shown is an effect whose interval leaves "no effect" and
    whose estimate is ``margin`` or more: with the least noise, too, it has to lie above the margin. A deviation below
    ``floor`` is not believed.
    """
    needed = math.log1p(margin)

    def shows(effect: float) -> bool:
        scale, reach = math.sqrt(blocks), _reach(blocks, alpha)

        def beyond(spread: float) -> float:
            least = max(needed, reach * max(spread * deviation, floor) / scale)
            return _NORMAL.cdf((effect - least) / deviation * scale)

        return _over_spreads(blocks, beyond) >= _POWER

    low, high = 0.0, needed + deviation
    while not shows(high):
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return math.expm1(min(high, _WIDEST))


def provable_noise(margin: Ratio, blocks: int, alpha: float, *, floor: float = 0.0) -> float:
    """Return the largest deviation of blocks' log ratios with which so many blocks show equal arms to be equal.

    They do in four of five experiments: the interval has to fit inside the margin on both sides. 0: they never do,
    since a deviation below ``floor`` is not believed.
    """
    inside, scale, reach = math.log1p(margin), math.sqrt(blocks), _reach(blocks, alpha)

    def proves(deviation: float) -> bool:
        def within(spread: float) -> float:
            left = inside - reach * max(spread * deviation, floor) / scale
            return 2 * _NORMAL.cdf(left / deviation * scale) - 1 if left > 0 else 0.0

        return _over_spreads(blocks, within) >= _POWER

    low, high = 0.0, inside * scale
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if proves(middle) else (low, middle)
    return low if low > high / 2 else 0.0


def _reach(blocks: int, alpha: float) -> float:
    return t_quantile(1 - alpha / 2, blocks - 1)


def _over_spreads(blocks: int, value: Callable[[float], float]) -> float:
    """Return the mean of a value over what blocks show of their deviation, as a share of the true one.

    Of normal values the mean and that share are independent, so that a test's power, given the share, is that of a
    normal mean. The share's square, times the degrees of freedom, is chi-square distributed. By Simpson's rule.
    """
    freedom = blocks - 1
    step = (1 + _SPREADS / math.sqrt(freedom)) / _STEPS
    log_scale = math.log(2) + freedom / 2 * math.log(freedom / 2) - math.lgamma(freedom / 2)
    total = 0.0
    for place in range(1, _STEPS):
        spread = place * step
        density = math.exp(log_scale + (freedom - 1) * math.log(spread) - freedom * spread * spread / 2)
        total += (4 if place % 2 else 2) * density * value(spread)
    return total * step / 3


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
    uncertain as the blocks leave them. How noisy the machine usually is, is not asked: after three blocks, of a noisy
    machine the chance is told too high, of a quiet one too low, each by ten points or twenty; over several it is right.
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
