"""Summarise a metric over the trials of a cell.

Source: the trial is the unit that repeats, so a cell's value is the median over trials of each trial's median; requests
of one wave are no independent samples. MLPerf's early stopping shows how many values a tail needs: 64 for a 90th, 459
for a 99th percentile (LoadGen, confidence 99 %). A percentile here is the nearest rank: a value that was observed.
"""

__all__ = ["summarize"]

from collections.abc import Sequence
from statistics import median

from sparktune.bench.stats import nearest_rank
from sparktune.model.metric import Metric, MetricSummary, Scope, Unknown
from sparktune.model.options import Slo
from sparktune.model.trial import Trial
from sparktune.units import Ratio

_P90, _FEWEST_FOR_P90 = 0.90, 64
_P99, _FEWEST_FOR_P99 = 0.99, 459


def summarize(metric: Metric, trials: Sequence[Trial], slo: Slo) -> MetricSummary:
    """Apply a metric to each trial and return what the cell's row shows; nothing is dropped as an outlier."""
    answers = [metric.compute(trial, slo) for trial in trials]
    known = [answer for answer in answers if not isinstance(answer, Unknown) and answer]
    values = [value for answer in known for value in answer]
    return MetricSummary(
        name=metric.name,
        title=metric.title,
        unit=metric.unit,
        median=median(median(answer) for answer in known) if known else None,
        minimum=min(values, default=None),
        maximum=max(values, default=None),
        n=len(values),
        trials=len(known),
        per_trial=tuple(_median_or_none(answer) for answer in answers),
        p90=_percentile(metric, values, _P90, _FEWEST_FOR_P90),
        p99=_percentile(metric, values, _P99, _FEWEST_FOR_P99),
        why=_why(answers),
        in_table=metric.in_table,
        by_position=_by_position(known) if metric.scope is Scope.POSITION else (),
    )


def _median_or_none(answer: tuple[float, ...] | Unknown) -> float | None:
    return None if isinstance(answer, Unknown) or not answer else median(answer)


def _percentile(metric: Metric, values: Sequence[float], share: Ratio, fewest: int) -> float | None:
    if metric.scope is Scope.POSITION or len(values) < fewest:
        return None
    return nearest_rank(values, share)


def _why(answers: Sequence[tuple[float, ...] | Unknown]) -> str:
    if not answers:
        return "no trial finished"
    reasons = [answer.why for answer in answers if isinstance(answer, Unknown)]
    if not reasons:
        return ""
    told = "; ".join(dict.fromkeys(reasons))
    return told if len(reasons) == len(answers) else f"{len(reasons)} of {len(answers)} trials gave no value: {told}"


def _by_position(answers: Sequence[tuple[float, ...]]) -> tuple[float, ...]:
    # A server that changes its draft length between waves has no curve beyond the shortest.
    return tuple(median(column) for column in zip(*answers, strict=False))
