"""Which acceptance a run has: that of its cells, and none where they do not speak of one depth."""

from dataclasses import replace

from tests.support.results import make_cell_result, make_metric, make_result

from sparktune.experiment.search.accepted import acceptance_of
from sparktune.experiment.search.predict import Acceptance
from sparktune.model.cell import Cell
from sparktune.model.result import RunResult


def _run(*positions: tuple[float, ...]) -> RunResult:
    metric = make_metric("acceptance_per_position", (None,))
    cells = [
        make_cell_result(
            cell=Cell(prompt_tokens=64, output_tokens=32, concurrency=streams),
            metrics=(replace(metric, by_position=one),),
        )
        for streams, one in enumerate(positions, 1)
    ]
    return make_result(cells=tuple(cells))


def test_the_mean_over_cells() -> None:
    assert acceptance_of(_run((1.0, 0.5), (0.5, 0.25))) == Acceptance(shares=(0.75, 0.375))


def test_nothing_without_counters_or_with_two_depths() -> None:
    assert acceptance_of(_run(())) is None
    assert acceptance_of(_run((0.8,), (0.8, 0.4))) is None
