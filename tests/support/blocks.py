"""Experiments of few blocks, by how many times A's metric B's is in each."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tests.support.experiments import CELLS, experiment, visit

from sparktune.experiment.conclude import conclude
from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better, effect_of
from sparktune.experiment.plan import GuardMetric, Primary
from sparktune.experiment.result import ExperimentResult, GuardResult, GuardStatus, MeasuredVisit
from sparktune.model.check import CheckResult

CELL = CELLS[0]
GUARDS = (GuardMetric(metric="ttft_s", better=Better.LOWER),)


def decided_on(
    ratios: Sequence[float],
    *,
    better: Better = Better.HIGHER,
    checks: Sequence[CheckResult] = (),
    guards: Sequence[GuardMetric] = (),
    more: Sequence[MeasuredVisit] = (),
    aa: bool = False,
) -> ExperimentResult:
    """Return the result of blocks in which B's metric is so many times A's; TTFT stays what it is."""
    plan = replace(experiment(cells=[CELL], guards=guards, aa=aa), primary=Primary(metric="m", better=better))
    visits = [
        visit(number, arm, rates(100.0 * (ratio if arm is Arm.B else 1.0)), place=place)
        for number, ratio in enumerate(ratios, start=1)
        for place, arm in enumerate((Arm.A, Arm.B) if number % 2 else (Arm.B, Arm.A))
    ]
    draw = random.Random(1)
    return conclude(plan, [*visits, *more], checks, {}, lambda: draw.gauss(0, 1))


def guard_result(status: GuardStatus, change: float, metric: str = "decode_min_tok_s") -> GuardResult:
    """Return a guard whose metric is so many times what it was; three blocks that hardly differ."""
    effect = effect_of([math.log(change + step) for step in (-0.01, 0.0, 0.01)], alpha=0.1, floor=0.005)
    return GuardResult(metric=metric, margin=0.1, status=status, effect=effect)


def rates(rate: float) -> Mapping[object, Mapping[str, Sequence[float]]]:
    """Return what a visit measured: one rate in all of its trials, a TTFT that never changes."""
    return {CELL: {"m": (rate, rate, rate), "ttft_s": (0.5, 0.5, 0.5)}}  # type: ignore[dict-item]
