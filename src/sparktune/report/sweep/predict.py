"""What arithmetic says before a restart, and what became of it: one line for each configuration, with its numbers."""

__all__ = ["metric_name", "outcome_lines", "predicted_words", "prediction_lines", "predictions_record"]

from collections.abc import Iterator, Sequence

from sparktune.model.engine import JsonValue
from sparktune.model.prediction import Outcome, Prediction
from sparktune.report.bench.words import one_line
from sparktune.report.records import plain_record
from sparktune.units import format_percent

_NAMES = {
    "acceptance_length": "tokens a draft round",
    "kv_requests": "requests that the KV pool holds",
    "graph_requests": "requests inside a CUDA graph",
}


def prediction_lines(predictions: Sequence[Prediction]) -> Iterator[str]:
    """Yield what is known before a start; nothing without predictions."""
    if not predictions:
        return
    yield "arithmetic before any restart (no measurement):"
    for one in predictions:
        yield f"  {one.key}: {predicted_words(one)} {_NAMES[one.metric]}{_worth(one)}"
        yield f"    {one_line(one.why)}"


def outcome_lines(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield each prediction beside what was measured; nothing without any that was."""
    if not any(one.measured is not None for one in outcomes):
        return
    yield "predicted against measured:"
    for one in outcomes:
        said = f"{one.prediction.key}: {predicted_words(one.prediction)} {_NAMES[one.prediction.metric]} predicted"
        if one.measured is None:
            yield f"  {said}; not measured: {one_line(one.why)}"
        else:
            yield f"  {said}, {one.measured:.2f} measured{_step(one)}"


def predictions_record(outcomes: Sequence[Outcome]) -> list[JsonValue]:
    """Return them as JSON has them; what was not measured is null, with the reason."""
    return [
        {**plain_record(one.prediction), "measured": one.measured, "measured_step_ratio": one.step_ratio,
         "measured_why": one.why or None}
        for one in outcomes
    ]  # fmt: skip


def metric_name(metric: str) -> str:
    """Return what a prediction counts, in words."""
    return _NAMES[metric]


def predicted_words(one: Prediction) -> str:
    """Return the number of a prediction; a bound says that it is one."""
    digits = 2 if one.metric == "acceptance_length" else 0 if one.value.is_integer() else 1
    return f"{'at most ' if one.at_most else ''}{one.value:.{digits}f}"


def _worth(one: Prediction) -> str:
    if one.step_ratio is None:
        return ""
    share = format_percent(one.step_ratio, digits=0)
    if one.at_most:
        return f"; slower for sure once a step takes {share} of now's time or more"
    return f"; as fast as now where a step takes {share} of its time"


def _step(one: Outcome) -> str:
    if one.step_ratio is None or one.prediction.step_ratio is None:
        return ""
    took, even = (format_percent(ratio, digits=0) for ratio in (one.step_ratio, one.prediction.step_ratio))
    return f"; a step took {took} of the baseline's, break-even was {even}"
