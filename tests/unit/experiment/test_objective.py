"""One number per visit: that of which an experiment's blocks are ratios, or choosing and confirming would differ."""

import math

import pytest
from tests.support.experiments import CELLS, run_result

from sparktune.experiment.effect import Better
from sparktune.experiment.objective import log_objective, tool_score, worst_cells
from sparktune.experiment.plan import Primary
from sparktune.model.quality import ItemResult, ItemState, Quality

_FIRST, _SECOND = CELLS
_RESULT = run_result(
    {
        _FIRST: {"output_tok_s": (90.0, 100.0, 5000.0), "ttft_s": (0.1, 0.2, 0.3)},
        _SECOND: {"output_tok_s": (400.0, 400.0, 400.0), "ttft_s": (0.5, 0.5, 0.5)},
    }
)


def test_it_is_the_geometric_mean_over_cells_of_the_medians_of_trials() -> None:
    assert log_objective(_RESULT, Primary()) == pytest.approx(math.log(math.sqrt(100.0 * 400.0)))


def test_less_time_is_better() -> None:
    value = log_objective(_RESULT, Primary(metric="ttft_s", better=Better.LOWER))

    assert value == pytest.approx(-math.log(math.sqrt(0.2 * 0.5)))


def test_weights_count_and_weight_0_leaves_a_cell_out() -> None:
    assert log_objective(_RESULT, Primary(weights={_SECOND.label: 0.0})) == pytest.approx(math.log(100.0))
    assert log_objective(_RESULT, Primary(weights={_SECOND.label: 3.0})) == pytest.approx(
        (math.log(100.0) + 3 * math.log(400.0)) / 4
    )


def test_a_cell_without_a_value_makes_no_number() -> None:
    """To leave it out would make the configuration look better by what it could not do."""
    result = run_result({_FIRST: {"output_tok_s": (100.0,)}, _SECOND: {"output_tok_s": (None,)}})

    assert log_objective(result, Primary()) is None
    assert log_objective(result, Primary(weights={_SECOND.label: 0.0})) == pytest.approx(math.log(100.0))


def test_limits_are_held_against_the_worst_cell() -> None:
    found = worst_cells(_RESULT, {"output_tok_s": Better.HIGHER, "ttft_s": Better.LOWER, "e2e_s": Better.LOWER})

    assert found == {"output_tok_s": 100.0, "ttft_s": 0.5}


def test_tools_are_a_share_of_what_could_be_judged() -> None:
    states = (ItemState.PASS, ItemState.UNKNOWN, ItemState.FAIL)
    items = tuple(ItemResult(id=str(place), state=state) for place, state in enumerate(states))

    assert tool_score(Quality(items=items)) == 0.5
    assert tool_score(Quality()) is None
    assert tool_score(None) is None
