"""From a sweep to the rows of its pictures: screening and race apart, since both choose and neither proves."""

__all__ = ["stage_rows"]

import math

from sparktune.experiment.sweep_result import SweepResult
from sparktune.model.sweep import BASELINE, Estimate, Stage, Standing
from sparktune.report.bench.words import one_line
from sparktune.report.charts.forest import Forest, ForestRow
from sparktune.report.charts.numbers import Span
from sparktune.report.sweep.words import change_words
from sparktune.units import count_of

_TWO_ERRORS = 2.0
_MOST_LOG = 500.0  # what a double holds, with room for an axis around it


def stage_rows(result: SweepResult, stage: Stage) -> Forest:
    """Return the configurations whose last visit was in a stage, best first, with two standard errors either side."""
    found = [one for one in result.known if one.stage is stage and one.log_ratio is not None]
    found = [one for one in found if one.candidate.key != BASELINE and one.standing is not Standing.INFEASIBLE]
    found.sort(key=lambda one: -(one.log_ratio or 0.0))
    return Forest(rows=tuple(_row(one, result) for one in found), noun="configuration", versus="the baseline")


def _row(one: Estimate, result: SweepResult) -> ForestRow:
    unfit = " · beyond a limit" if one.standing is Standing.UNFIT else ""
    chosen = " · to confirmation" if one.candidate.key == result.record.winner else ""
    return ForestRow(
        name=one_line(one.candidate.key),
        kind="observed",
        span=_span(one),
        words=f"{change_words(one, result.experiment.primary.better)}, {count_of(one.visits, 'visit')}{unfit}{chosen}",
        floor=1 / (1 + result.plan.margin),
        ceiling=1 + result.plan.margin,
    )


def _span(one: Estimate) -> Span | None:
    if one.log_ratio is None:
        return None
    return Span(
        ratio=_ratio(one.log_ratio),
        low=None if one.error is None else _ratio(one.log_ratio - _TWO_ERRORS * one.error),
        high=None if one.error is None else _ratio(one.log_ratio + _TWO_ERRORS * one.error),
    )


def _ratio(log: float) -> float:
    return math.exp(max(-_MOST_LOG, min(_MOST_LOG, log)))
