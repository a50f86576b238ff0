"""What an A/A experiment is for: how large the noise is, where it comes from, and what number of trials suits it."""

__all__ = ["noise_of"]

import math
from collections.abc import Sequence

from sparktune.experiment.blocks import complete_blocks, trial_values
from sparktune.experiment.plan import Experiment
from sparktune.experiment.planning import Noise, best_trials_per_visit, split_noise
from sparktune.experiment.result import MeasuredVisit
from sparktune.model.result import CellResult
from sparktune.units import Seconds

_WAVE, _REQUEST = "wave_s", "e2e_s"  # the second stands for the first where the first is not known


def noise_of(experiment: Experiment, visits: Sequence[MeasuredVisit]) -> Noise | None:
    """Return the noise of visits to one and the same setting; None with fewer than two of two trials."""
    counted = [visit for pair in complete_blocks(visits).values() for visit in pair.values()]
    series = [values for visit in counted if len(values := _primary(experiment, visit)) > 1]
    try:
        split = split_noise(series)
    except ValueError:
        return None
    trial_cost = _median([cost for visit in counted if (cost := _trial_cost(visit)) is not None])
    lasted = _median([end - visit.record.started_wall_s for visit in counted if (end := visit.record.ended_wall_s)])
    noise = Noise(trial=split.trial, visit=split.visit, visits=len(series))
    if trial_cost is None or lasted is None:
        return noise
    visit_cost = max(lasted - experiment.workload.trials * trial_cost, 0.0)
    best = best_trials_per_visit(split, visit_cost=visit_cost, trial_cost=trial_cost)
    return Noise(
        trial=split.trial,
        visit=split.visit,
        visits=len(series),
        visit_cost_s=visit_cost,
        trial_cost_s=trial_cost,
        best_trials=best,
    )


def _primary(experiment: Experiment, visit: MeasuredVisit) -> tuple[float, ...]:
    """Return the primary of each trial: the weighted geometric mean over cells of their trials with the same number."""
    if visit.result is None:
        return ()
    cells = trial_values(visit.result, experiment.primary.metric)
    weights = {cell: experiment.primary.weights.get(cell, 1.0) for cell in cells}
    total = sum(weights.values())
    if total == 0 or any(value <= 0 for values in cells.values() for value in values):
        return ()
    logs = (
        sum(weights[cell] * math.log(value) for cell, value in zip(cells, trial, strict=True)) / total
        for trial in zip(*cells.values(), strict=False)
    )
    return tuple(math.exp(value) for value in logs)


def _trial_cost(visit: MeasuredVisit) -> Seconds | None:
    rows = visit.result.cells if visit.result is not None else ()
    medians = [_median_of(row, _WAVE) or _median_of(row, _REQUEST) for row in rows]
    known = [median for median in medians if median is not None]
    return sum(known) if known and len(known) == len(rows) and sum(known) > 0 else None


def _median_of(row: CellResult, metric: str) -> float | None:
    summary = row.metric(metric)
    return None if summary is None else summary.median


def _median(values: Sequence[float]) -> float | None:
    return sorted(values)[len(values) // 2] if values else None
