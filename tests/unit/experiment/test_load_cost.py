"""What an experiment shows of a loss: only an interval that excludes it shows that there is none."""

import pytest
from tests.support.experiments import CELLS, experiment, visit

from sparktune.experiment.conclude import conclude
from sparktune.experiment.design import Arm
from sparktune.experiment.load_cost import CostStatus, cost_of
from sparktune.model.check import CheckResult, Status

_CELL = CELLS[0]


@pytest.mark.parametrize(
    ("ratios", "checks", "status"),
    [
        ((1.001, 0.999, 1.0), (), CostStatus.SHOWN),
        ((1.2, 1.21, 1.2), (), CostStatus.SHOWN),
        ((0.8, 0.81, 0.8), (), CostStatus.LOWER),
        ((0.95, 1.05, 1.0), (), CostStatus.OPEN),
        ((1.0, 1.0), (), CostStatus.OPEN),
        ((), (), CostStatus.OPEN),
        (
            (1.001, 0.999, 1.0),
            (CheckResult(id="V01", status=Status.INVALID, evidence="e"),),
            CostStatus.OPEN,
        ),
    ],
)
def test_status(ratios: tuple[float, ...], checks: tuple[CheckResult, ...], status: CostStatus) -> None:
    plan = experiment(cells=[_CELL])
    visits = [
        visit(number, arm, {_CELL: {plan.primary.metric: (100.0 * (ratio if arm is Arm.B else 1.0),) * 3}}, place=place)
        for number, ratio in enumerate(ratios, start=1)
        for place, arm in enumerate((Arm.A, Arm.B) if number % 2 else (Arm.B, Arm.A))
    ]

    found = cost_of(conclude(plan, visits, checks, {}, lambda: 0.5))

    assert found.status is status
    assert found.metric == plan.primary.metric
