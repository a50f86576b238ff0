"""The tables of a sweep's page: what did not run, what was left out before, predictions, and every visit."""

__all__ = ["failed_table", "prediction_table", "pruned_table", "visit_table"]

import math
from collections.abc import Sequence

from sparktune.experiment.effect import Better
from sparktune.experiment.sweep_result import SweepResult
from sparktune.model.prediction import Outcome
from sparktune.model.sweep import Standing, SweepPlan, VisitEnd
from sparktune.report.bench.words import one_line, value_words
from sparktune.report.charts.numbers import unit_of
from sparktune.report.page.parts import Column, table
from sparktune.report.svg.markup import Markup, element
from sparktune.report.sweep.predict import metric_name, predicted_words
from sparktune.report.sweep.words import end_words, named, stage_words
from sparktune.units import format_duration, format_percent

_LEFT_OUT = frozenset({Standing.INFEASIBLE, Standing.UNKNOWN, Standing.UNFIT})


def failed_table(result: SweepResult) -> Markup:
    """Return a row for each configuration that did not run, not validly, or not within the limits."""
    columns = (Column(head="configuration", words=True), Column(head="is"), Column(head="why", words=True))
    rows = [
        (one_line(one.candidate.key), one.standing.value, one_line(one.why))
        for one in result.known
        if one.standing in _LEFT_OUT
    ]
    return table(columns, rows, about="what did not run") if rows else _none("Every configuration that was tried ran.")


def pruned_table(plan: SweepPlan) -> Markup:
    """Return a row for each configuration that was left out before any start."""
    columns = (Column(head="configuration", words=True), Column(head="rule"), Column(head="why", words=True))
    rows = [(one_line(one.key), one_line(one.rule), one_line(one.why)) for one in plan.pruned]
    return table(columns, rows, about="left out before any start") if rows else _none("Nothing was left out before.")


def prediction_table(outcomes: Sequence[Outcome]) -> Markup:
    """Return predictions beside what was measured."""
    columns = (
        Column(head="configuration", words=True),
        Column(head="predicted"),
        Column(head="measured", words=True),
        Column(head="step / break-even", number=True),
    )
    rows = [
        (
            one_line(one.prediction.key),
            f"{predicted_words(one.prediction)} {metric_name(one.prediction.metric)}",
            f"not: {one_line(one.why)}" if one.measured is None else f"{one.measured:.2f}",
            _steps(one),
        )
        for one in outcomes
    ]
    return table(columns, rows, about="predicted against measured")


def visit_table(result: SweepResult) -> Markup:
    """Return every visit in the order of time."""
    metric = result.experiment.primary.metric
    unit = unit_of(metric)
    columns = (
        Column(head="visit", number=True),
        Column(head="stage"),
        Column(head="configuration", words=True),
        Column(head=f"{metric} {unit if unit not in {'1', 's'} else ''}".strip(), number=True),
        Column(head="took", number=True),
        Column(head="end", words=True),
    )
    rows = [
        (
            str(visit.number),
            f"{stage_words(visit.stage)}{f' {visit.block}' if visit.block else ''}",
            one_line(named(visit.key)),
            value_words(_value(visit.log_value, result), unit) if visit.end is VisitEnd.MEASURED else "",
            format_duration(visit.took_s),
            ": ".join(part for part in (end_words(visit.end), one_line(visit.why)) if part),
        )
        for visit in result.visits
    ]
    return table(columns, rows, about="visits", listed=True) if rows else _none("No visit has ended yet.")


def _value(log: float | None, result: SweepResult) -> float | None:
    """Return the objective as the metric has it: one that is better when it is less was kept with its sign turned."""
    if log is None or abs(log) > 500:  # noqa: PLR2004 - what a double holds
        return None
    return math.exp(log if result.experiment.primary.better is Better.HIGHER else -log)


def _steps(one: Outcome) -> str:
    even = one.prediction.step_ratio
    took = "unknown" if one.step_ratio is None else format_percent(one.step_ratio, digits=0)
    return "" if even is None else f"{took} / {format_percent(even, digits=0)}"


def _none(words: str) -> Markup:
    return element("p", words, class_="muted")
