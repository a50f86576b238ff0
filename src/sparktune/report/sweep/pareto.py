"""From a sweep to the points of its Pareto picture: throughput against the worst time to the first token."""

__all__ = ["pareto_view"]

import statistics
from collections.abc import Iterator, Mapping

from sparktune.experiment.sweep_result import SweepResult
from sparktune.model.sweep import BASELINE, Constraint, SweepVisit, VisitEnd
from sparktune.report.bench.words import one_line
from sparktune.report.charts.numbers import unit_of
from sparktune.report.charts.pareto import Pareto, ParetoPoint
from sparktune.report.sweep.words import constraint_words, end_words

_WAITS = ("ttft_max_s", "ttft_s")
_RATE = "output_tok_s"


def pareto_view(result: SweepResult) -> Pareto:
    """Return every configuration with the median over its visits of either metric, each in its worst cell."""
    measured = _measured(result)
    primary = result.experiment.primary.metric
    rate = primary if primary.endswith("tok_s") else _RATE
    wait = next((name for name in _WAITS if all(name in one for one in measured.values())), _WAITS[0])
    known = {key: values for key, values in measured.items() if rate in values and wait in values}
    ordered = sorted(known, key=lambda key: (key != BASELINE, known[key][wait], -known[key][rate]))
    points = tuple(_point(result, key, known[key][wait], known[key][rate], known[key]) for key in ordered)
    limits = {one.metric: one for one in result.plan.constraints}
    return Pareto(
        x_name=wait,
        x_unit=unit_of(wait),
        y_name=rate,
        y_unit=unit_of(rate),
        points=points,
        x_limit=_limit(limits.get(wait), "most"),
        y_limit=_limit(limits.get(rate), "least"),
        absent=tuple(_absent(result, known, f"it has no {wait} or no {rate}")),
    )


def _measured(result: SweepResult) -> dict[str, dict[str, float]]:
    visits: dict[str, list[SweepVisit]] = {}
    for visit in result.visits:
        if visit.end is VisitEnd.MEASURED:
            visits.setdefault(visit.key, []).append(visit)
    return {
        key: {
            name: statistics.median(one.metrics[name] for one in own)
            for name in own[0].metrics
            if all(name in one.metrics for one in own)
        }
        for key, own in visits.items()
    }


def _point(result: SweepResult, key: str, wait: float, rate: float, values: Mapping[str, float]) -> ParetoPoint:
    won = result.won and key == result.record.winner
    broken = [one for one in result.plan.constraints if _beyond(one, values)]
    return ParetoPoint(
        name="the baseline" if key == BASELINE else one_line(key),
        x=wait,
        y=rate,
        kind="baseline" if key == BASELINE else "winner" if won else "candidate",
        unfit=", ".join(f"{constraint_words(one)} is {values[one.metric]:.4g}" for one in broken),
    )


def _beyond(one: Constraint, values: Mapping[str, float]) -> bool:
    value = values.get(one.metric)
    return value is not None and (value > one.limit if one.at == "most" else value < one.limit)


def _limit(one: Constraint | None, at: str) -> float | None:
    return one.limit if one is not None and one.at == at else None


def _absent(result: SweepResult, known: Mapping[str, object], unknown: str) -> Iterator[tuple[str, str]]:
    last = {visit.key: visit for visit in result.visits}
    for key, visit in last.items():
        if key not in known:
            why = unknown if visit.end is VisitEnd.MEASURED else f"{end_words(visit.end)}: {one_line(visit.why)}"
            yield one_line(key), why
