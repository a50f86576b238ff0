"""Predictions for people: what is a bound is called one, and what was not measured says why."""

from sparktune.model.prediction import Outcome, Prediction
from sparktune.report.sweep.predict import outcome_lines, prediction_lines, predictions_record

_FEWER = Prediction(key="d=3", metric="acceptance_length", value=2.9, step_ratio=0.83, why="1 + 0.80")
_MORE = Prediction(key="d=9", metric="acceptance_length", value=4.4, step_ratio=1.26, at_most=True, why="a bound")


def test_before() -> None:
    assert list(prediction_lines((_FEWER, _MORE))) == [
        "arithmetic before any restart (no measurement):",
        "  d=3: 2.90 tokens a draft round; as fast as now where a step takes 83 % of its time",
        "    1 + 0.80",
        "  d=9: at most 4.40 tokens a draft round; slower for sure once a step takes 126 % of now's time or more",
        "    a bound",
    ]
    assert list(prediction_lines(())) == []


def test_afterwards() -> None:
    found = (
        Outcome(prediction=_FEWER, measured=3.01, step_ratio=0.75),
        Outcome(prediction=_MORE, measured=None, why="infeasible: out of memory"),
    )
    assert list(outcome_lines(found)) == [
        "predicted against measured:",
        (
            "  d=3: 2.90 tokens a draft round predicted, 3.01 measured; a step took 75 % of the baseline's, "
            "break-even was 83 %"
        ),
        "  d=9: at most 4.40 tokens a draft round predicted; not measured: infeasible: out of memory",
    ]
    assert list(outcome_lines(found[1:])) == []
    assert [(one["measured"], one["measured_why"]) for one in predictions_record(found)] == [
        (3.01, None),
        (None, "infeasible: out of memory"),
    ]
