import pytest
from hypothesis import given
from tests.support.results import make_cell_result, make_metric, make_result, results
from tests.support.stored import make_run

from sparktune.model.cell import Cell
from sparktune.model.result import CellResult, RunResult
from sparktune.report.demo import reading


def _row(concurrency: int, **medians: float | None) -> CellResult:
    cell = Cell(prompt_tokens=64, output_tokens=32, concurrency=concurrency)
    return make_cell_result(cell=cell, metrics=tuple(make_metric(name, (value,)) for name, value in medians.items()))


_ALONE = _row(1, output_tok_s=20.0, decode_tok_s=40.0, ttft_s=0.8)
_CROWD = _row(4, output_tok_s=36.0, decode_tok_s=18.0, ttft_s=3.2)
_WHOLE = (
    "With 4 streams at once instead of 1, the server wrote 1.8 times the tokens per second in all (20.0 -> 36.0), "
    "each stream wrote at 0.45 times the speed (40.0 -> 18.0), "
    "and the first token took 4 times as long (800.0 ms -> 3.200 s)."
)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param((_ALONE, _CROWD), _WHOLE, id="all three numbers"),
        pytest.param((_CROWD, _row(2), _ALONE), _WHOLE, id="whatever the order of the rows"),
        pytest.param(
            (_row(1, ttft_s=0.5), _row(2, ttft_s=0.75, decode_tok_s=9.0)),
            "With 2 streams at once instead of 1, the first token took 1.5 times as long (500.0 ms -> 750.0 ms).",
            id="only what both rows have",
        ),
        pytest.param((_row(1, ttft_s=None), _row(4, ttft_s=1.0)), "", id="an unknown number says nothing"),
        pytest.param((_row(1, ttft_s=0.0), _row(4, ttft_s=1.0)), "", id="no ratio to zero"),
        pytest.param((_ALONE,), "", id="one row has nothing to compare with"),
        pytest.param((), "", id="no row"),
    ],
)
def test_reading(rows: tuple[CellResult, ...], expected: str) -> None:
    assert reading(make_result(run=make_run(), cells=rows)) == expected


@given(results())
def test_never_fails_and_never_says_unknown_numbers(result: RunResult) -> None:
    assert "None" not in reading(result)
