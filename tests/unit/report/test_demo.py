from dataclasses import replace

import pytest
from hypothesis import given
from tests.support.experiments import CELLS, experiment, visit
from tests.support.results import make_cell_result, make_metric, make_result, results
from tests.support.stored import make_run

from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better
from sparktune.experiment.plan import Primary, VisitState
from sparktune.experiment.result import ExperimentResult
from sparktune.experiment.verdict import Judgement, Verdict
from sparktune.model.cell import Cell
from sparktune.model.result import CellResult, RunResult
from sparktune.report.demo import ab_reading, reading


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


def _decided(verdict: Verdict | None, **metrics: tuple[float, ...]) -> ExperimentResult:
    """Two blocks; every metric has three trials in A, then three in B, the same in each."""
    plan = replace(experiment(cells=CELLS[1:]), primary=Primary(metric="ttft_max_s", better=Better.LOWER))
    arms = {arm: {name: values[3 * place :][:3] for name, values in metrics.items()} for place, arm in enumerate(Arm)}
    visits = [visit(block, arm, {CELLS[1]: arms[arm]}) for block in (1, 2) for arm in Arm]
    unfinished = visit(3, Arm.A, {CELLS[1]: {"ttft_max_s": (99.0,)}}, state=VisitState.VOID)
    return ExperimentResult(
        experiment=plan,
        verdict=verdict,
        judgement=Judgement(verdict=verdict, effect=None),
        visits=(*visits, unfinished),
    )


_WAITS = (2.0, 3.0, 8.0, 0.5, 0.4, 0.6)
_TRIALS = (
    "Single trials of arm A, always the same setting, lie between 2.000 s and 8.000 s: one of them proves nothing."
)


@pytest.mark.parametrize("verdict", [Verdict.IMPROVED, Verdict.REGRESSED, Verdict.EQUIVALENT])
def test_a_verdict_is_told_with_what_it_costs(verdict: Verdict) -> None:
    """Medians, of blocks that count alone; the price beside the gain."""
    meant, trials = ab_reading(_decided(verdict, ttft_max_s=_WAITS, decode_min_tok_s=(40, 41, 42, 20, 21, 22)))
    assert meant == (
        "What it means: in arm B the agent that waits longer has its first token after 500.0 ms, "
        "in arm A after 3.000 s. What it costs: while two are answered at once, "
        "the slower writes 21.0 tokens a second, in arm A, one after the other, 41.0."
    )
    assert trials == _TRIALS


def test_a_price_that_the_blocks_do_not_show_is_not_called_one() -> None:
    """On a busy machine the medians may turn around: "it costs" beside a higher rate would be untrue."""
    meant, _ = ab_reading(_decided(Verdict.IMPROVED, ttft_max_s=_WAITS, decode_min_tok_s=(20, 21, 22, 22, 23, 24)))
    assert meant.endswith(
        "What it costs does not show in these blocks: while two are answered at once, "
        "the slower writes 23.0 tokens a second, in arm A, one after the other, 21.0."
    )


def test_no_verdict_is_an_answer_too() -> None:
    meant, trials = ab_reading(_decided(Verdict.INCONCLUSIVE, ttft_max_s=_WAITS))
    assert "as busy as it is now" in meant
    assert trials == _TRIALS


def test_what_is_unknown_is_not_said() -> None:
    (meant, _) = ab_reading(_decided(Verdict.IMPROVED, ttft_max_s=_WAITS))
    assert meant.endswith("in arm A after 3.000 s.")
    assert ab_reading(_decided(Verdict.IMPROVED, output_tok_s=_WAITS)) == ()


@pytest.mark.parametrize("verdict", [Verdict.INVALID, Verdict.STOPPED, None])
def test_without_a_comparison_only_the_trials_are_told(verdict: Verdict | None) -> None:
    assert ab_reading(_decided(verdict, ttft_max_s=_WAITS)) == (_TRIALS,)
