"""Virtual experiments: worlds with the noise of a real machine, in which the truth is known."""

import math
import random
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sparktune.experiment.cell_harm import cell_harms
from sparktune.experiment.design import Arm, blocks_of
from sparktune.experiment.effect import Better, log_ratio
from sparktune.experiment.outliers import extra_trials
from sparktune.experiment.plan import Experiment
from sparktune.experiment.rules import Rules
from sparktune.experiment.verdict import Judgement, Verdict, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Shares and minutes. ``trial`` and ``boot`` are deviations of logs, ``cooling`` what heat costs in the end.

    ``wander`` is the deviation of a slow walk from visit to visit that keeps ``memory`` of itself each time. ``order``
    is what the second visit of a block loses, ``slow_starts`` how many starts come out slower by ``slow``. With
    ``tails``, starts differ as Student's t does with so many degrees of freedom: now and then by a lot.
    """

    trial: float
    boot: float
    outliers: float = 0.05
    outlier: float = 0.5
    cooling: float = 0.08
    warm_minutes: float = 15.0
    wander: float = 0.01
    memory: float = 0.5
    order: float = 0.0
    slow_starts: float = 0.0
    slow: float = 0.12
    tails: int = 0
    restart_minutes: float = 3.0
    trial_minutes: float = 1.0


WORLDS = {
    "quiet": World(trial=0.02, boot=0.01, outliers=0.02, cooling=0.04, wander=0.005),
    "base": World(trial=0.05, boot=0.02),
    "noisy": World(trial=0.10, boot=0.04, wander=0.02),
}
ROUGH = {
    "dead trials": World(trial=0.05, boot=0.02, outlier=0.1),
    "two modes": World(trial=0.05, boot=0.02, slow_starts=0.3),
    "heavy tails": World(trial=0.05, boot=0.02, tails=2),
    "second loses": World(trial=0.05, boot=0.02, order=0.05),
    "long walk": World(trial=0.05, boot=0.02, wander=0.03, memory=0.9),
    "heats up": World(trial=0.05, boot=0.02, cooling=0.25, warm_minutes=10.0),
}
"""Worlds that break what a t interval assumes: values that are not normal, blocks that are not independent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Shares of experiments by verdict, and the blocks that they took on average.

    ``covered`` is how many of their intervals hold the truth, ``told`` the mean effect, as a ratio, of those that end
    IMPROVED; None where none did.
    """

    verdicts: dict[Verdict, float]
    blocks: float
    covered: float = 0.0
    told: float | None = None

    def share(self, verdict: Verdict) -> float:
        """Return the share of one verdict."""
        return self.verdicts.get(verdict, 0.0)


def simulate(
    world: World, truth: float, *, experiments: int, seed: int, trials: int = 3, rules: Rules | None = None
) -> Rates:
    """Run experiments in which the second arm is ``truth`` times as fast, by the product's own design and rules."""
    draw = random.Random(seed)
    rules = rules or Rules()
    verdicts: Counter[Verdict] = Counter()
    blocks = covered = 0
    told: list[float] = []
    for _ in range(experiments):
        judgement = _experiment(world, truth, rules, trials, draw)
        verdict, effect = judgement.verdict, judgement.effect
        assert verdict is not None
        assert effect is not None
        verdicts[verdict] += 1
        blocks += effect.blocks
        covered += effect.low <= truth <= effect.high
        told += [effect.ratio] if verdict is Verdict.IMPROVED else []
    return Rates(
        verdicts={verdict: count / experiments for verdict, count in verdicts.items()},
        blocks=blocks / experiments,
        covered=covered / experiments,
        told=statistics.fmean(told) if told else None,
    )


def one_run_each(world: World, truth: float, *, experiments: int, seed: int, margin: float) -> tuple[float, float]:
    """Return how often one run of each arm, A first, shows B better, and how often worse, by ``margin`` or more.

    Both arms are started anew and measured once, as somebody does who compares two numbers.
    """
    draw = random.Random(seed)
    better = worse = 0
    for _ in range(experiments):
        hours = _Hours(world, draw)
        first = hours.visit(1.0, trials=1, owed=0)[0]
        ratio = hours.visit(truth, trials=1, owed=0)[0] / first
        better += ratio >= 1 + margin
        worse += ratio <= 1 - margin
    return better / experiments, worse / experiments


def harm_told(
    world: World,
    truths: Mapping[str, float],
    plan: Experiment,
    *,
    experiments: int,
    seed: int,
) -> float:
    """Return the share of experiments that tell of a cell which got worse, at any of their looks.

    ``truths`` are how many times better arm B is in each cell of ``plan``, in every one of its metrics; the cells of a
    visit share their start and their hour, and each metric has the noise of trials of its own.
    """
    draw = random.Random(seed)
    metrics = (plan.primary.metric, *(guard.metric for guard in plan.guards))
    return sum(_tells_harm(world, truths, plan, metrics, draw) for _ in range(experiments)) / experiments


def _tells_harm(
    world: World, truths: Mapping[str, float], plan: Experiment, metrics: Sequence[str], draw: random.Random
) -> bool:
    hours = _Hours(world, draw)
    found: dict[str, dict[str, list[float]]] = {name: {cell: [] for cell in truths} for name in metrics}
    for block in blocks_of(plan.rules.last.blocks, (0,), draw.random):
        values = {
            arm: hours.cells(truths if arm is Arm.B else dict.fromkeys(truths, 1.0), metrics) for arm in block.visits
        }
        for name, by_cell in found.items():
            for cell, ratios in by_cell.items():
                ratios.append(log_ratio(values[Arm.A][name, cell], values[Arm.B][name, cell], Better.HIGHER))
        if plan.rules.look_after(block.number) is None:
            continue
        means = [statistics.fmean(one) for one in zip(*found[plan.primary.metric].values(), strict=True)]
        judgement = judge(means, plan.rules)
        if cell_harms(plan, judgement, found, (), block.number):
            return True
        if judgement.verdict is not None:
            return False
    return False


class _Hours:
    """The time that an experiment takes on a machine: what heats up and what wanders in it."""

    def __init__(self, world: World, draw: random.Random) -> None:
        self._world, self._draw = world, draw
        self._minute, self._walk, self._starts = 0.0, 0.0, 0

    def visit(self, truth: float, *, trials: int, owed: int) -> list[float]:
        """Return the values of the trials of one start; trials that stand apart lead to more of them."""
        world, draw = self._world, self._draw
        level = math.log(truth) + self._start()
        found: list[float] = []
        wanted = trials + owed
        while len(found) < wanted:
            self._minute += world.trial_minutes
            value = math.exp(level + draw.gauss(0, world.trial)) * (1 - self._heat())
            found.append(value * world.outlier if draw.random() < world.outliers else value)
            if len(found) == trials and trials > 1:
                wanted += max(extra_trials(found) - owed, 0)
        return found

    def cells(self, truths: Mapping[str, float], metrics: Sequence[str]) -> dict[tuple[str, str], float]:
        """Return the medians of three trials of each metric and cell of one start."""
        world, draw = self._world, self._draw
        level = self._start()
        found = {}
        for cell, truth in truths.items():
            self._minute += 3 * world.trial_minutes
            warm = level + math.log(truth) + math.log1p(-self._heat())
            for name in metrics:
                trials = [warm + draw.gauss(0, world.trial) for _ in range(3)]
                trials = [one + math.log(world.outlier) if draw.random() < world.outliers else one for one in trials]
                found[name, cell] = math.exp(statistics.median(trials))
        return found

    def _start(self) -> float:
        """Return the log of the level that one start has."""
        world, draw = self._world, self._draw
        self._minute += world.restart_minutes
        self._walk = self._walk * world.memory + draw.gauss(0, world.wander)
        self._starts += 1
        level = self._walk + draw.gauss(0, world.boot) * self._tail()
        level -= 0 if self._starts % 2 else world.order
        return level + (math.log1p(-world.slow) if world.slow_starts and draw.random() < world.slow_starts else 0)

    def _tail(self) -> float:
        tails = self._world.tails
        return 1.0 if not tails else 1 / math.sqrt(self._draw.gammavariate(tails / 2, 2) / tails)

    def _heat(self) -> float:
        return self._world.cooling * (1 - math.exp(-self._minute / self._world.warm_minutes))


def _experiment(world: World, truth: float, rules: Rules, trials: int, draw: random.Random) -> Judgement:
    hours = _Hours(world, draw)
    ratios: list[float] = []
    for block in blocks_of(rules.last.blocks, (0,), draw.random):
        values: dict[Arm, float] = {}
        owed = 0
        for arm in block.visits:
            found = hours.visit(truth if arm is Arm.B else 1.0, trials=trials, owed=owed)
            owed = len(found) - trials
            values[arm] = statistics.median(found)
        ratios.append(log_ratio(values[Arm.A], values[Arm.B], Better.HIGHER))
        judgement = judge(ratios, rules) if rules.look_after(block.number) else None
        if judgement is not None and judgement.verdict is not None:
            return judgement
    raise AssertionError
