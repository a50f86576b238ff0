import pytest

from sparktune.model.cell import Cell
from sparktune.model.options import SendOptions
from sparktune.model.workload import Workload

_CELL = Cell(prompt_tokens=8, output_tokens=8)


@pytest.mark.parametrize(
    ("cells", "trials", "message"),
    [
        ((), 3, "0 cells, 3 trials"),
        ((_CELL,), 0, "1 cells, 0 trials"),
        ((_CELL, _CELL), 3, "names a cell twice"),
    ],
)
def test_a_workload_that_measures_nothing_or_twice_is_refused(
    cells: tuple[Cell, ...], trials: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Workload(cells=cells, trials=trials, options=SendOptions(model="m"))
