"""A household's turns find what was sent before them in a prefix cache: that is the workload, and no fault of it."""

import pytest
from tests.support.experiments import experiment, visit

from sparktune.bench.cells import make_household
from sparktune.experiment.checks.v01_cached_prefix import TABLE_CHECK
from sparktune.experiment.design import Arm
from sparktune.experiment.table_of import table_of
from sparktune.model.cell import Cell
from sparktune.model.check import Status
from sparktune.model.table import Table
from sparktune.model.table_check import TableContext

_HOUSEHOLD = Cell(prompt_tokens=512, output_tokens=8, household=make_household(0.1))
_PLAIN = Cell(prompt_tokens=512, output_tokens=8)


def _table(cell: Cell, shares: dict[Arm, float]) -> Table:
    visits = [
        visit(number, arm, {cell: {"prefix_hit_share": [shares[arm]] * 3}}, place=place)
        for number in (1, 2, 3)
        for place, arm in enumerate(Arm)
    ]
    return table_of(experiment(cells=[cell]), visits, frozenset())


@pytest.mark.parametrize(
    ("cell", "shares", "status"),
    [
        (_PLAIN, (0.12, 0.12), Status.INVALID),
        (_HOUSEHOLD, (0.12, 0.12), Status.UNKNOWN),
        (_HOUSEHOLD, (0.12, 0.5), Status.INVALID),  # what one arm had cached and the other not, is no workload
    ],
)
def test_only_what_was_to_be_cold_is_void(cell: Cell, shares: tuple[float, float], status: Status) -> None:
    table = _table(cell, dict(zip(Arm, shares, strict=True)))
    assert TABLE_CHECK.run(table, TableContext()).status is status
    assert bool(TABLE_CHECK.voids(table, TableContext())) is (cell is _PLAIN)
