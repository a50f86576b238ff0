"""The effect between two arms of a table that others made: pairs where there are any, else cells, and an interval.

Ratios are the second arm's value / the first's, whichever way is better. Three ways, the first that the table allows:
prompts that both arms answered (one log ratio each); trials or blocks of the same number (per number the mean over
cells); trials without numbers (Welch's interval, cells averaged); else cells, whose values may be one trial each.
Source: Welch, The generalization of Student's problem, Biometrika 34, 1947; the rest is ``effect``.
"""

__all__ = ["Comparison", "Way", "compare_arms", "metrics_of"]

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from sparktune.experiment.effect import Better, effect_of
from sparktune.experiment.student import t_quantile
from sparktune.model.table import Row, Table

_FLOOR = 0.005  # of a log: the grain of clocks and counters
_METRICS = {
    "output_tok_s": Better.HIGHER,
    "decode_tok_s": Better.HIGHER,
    "decode_total_tok_s": Better.HIGHER,
    "ttft_s": Better.LOWER,
    "prefill_tok_s": Better.HIGHER,
}
_LEAST = 2
_Cell = tuple[object, ...]
_Values = Mapping[_Cell, Sequence[tuple[object, float]]]  # by cell: (number of the trial or None, value)


class Way(Enum):
    """What one independent value of a comparison is."""

    PROMPTS = "prompts"
    TRIALS = "trials"
    UNPAIRED = "trials without pairs"
    CELLS = "cells"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """``ratio`` of the second arm to the first; ``low`` and ``high`` None where one value has no interval.

    ``units`` counts independent values, ``wins`` those in which the second arm was better; ``trials`` the fewest trials
    of a cell and arm, None when the table does not say. ``median_ratio`` is that of the single ratios. ``medians`` are
    over all values of an arm. ``deviation`` is that of the log ratios.
    """

    metric: str
    better: Better
    first: str
    second: str
    way: Way
    ratio: float
    low: float | None
    high: float | None
    confidence: float
    units: int
    wins: int
    trials: int | None
    median_ratio: float
    cells: int
    deviation: float | None = None
    medians: Mapping[str, float] = field(default_factory=dict)

    @property
    def detectable(self) -> bool:
        """Whether the interval lies on one side of 1."""
        return self.low is not None and self.high is not None and (self.low > 1 or self.high < 1)

    @property
    def improved(self) -> bool:
        """Whether the second arm is better, by the middle of the interval."""
        return (self.ratio > 1) == (self.better is Better.HIGHER)


def metrics_of(table: Table, arms: tuple[str, str]) -> tuple[str, ...]:
    """Return the metrics that both arms have, the one that decides first."""
    return tuple(
        metric
        for metric in _METRICS
        if all(any(metric in row.values for row in table.rows if row.arm == arm) for arm in arms)
    )


def compare_arms(
    table: Table, arms: tuple[str, str], metric: str, *, void: frozenset[int], alpha: float
) -> Comparison | None:
    """Return the effect on a metric without the rows that are void; None when no cell is left that both arms have."""
    kept = [row for place, row in enumerate(table.rows) if place not in void]
    void_cells = {_cell(row) for place, row in enumerate(table.rows) if place in void and row.arm in arms}
    first, second = (_values(kept, arm, metric, void_cells) for arm in arms)
    cells = [cell for cell in first if cell in second]
    if not cells:
        return None
    way, ratios = _ratios(first, second, cells, named=all(row.prompt_id for row in kept))
    if way is Way.UNPAIRED:
        interval = _welch(first, second, cells, alpha)
        ratios = [_middle(second[cell]) - _middle(first[cell]) for cell in cells]
    else:
        interval = _paired(ratios, alpha)
    middle, low, high, deviation = interval
    up = _METRICS[metric] is Better.HIGHER
    return Comparison(
        metric=metric,
        better=_METRICS[metric],
        first=arms[0],
        second=arms[1],
        way=way,
        ratio=math.exp(middle),
        low=None if low is None else math.exp(low),
        high=None if high is None else math.exp(high),
        confidence=1 - alpha,
        units=len(ratios) if way is not Way.UNPAIRED else _fewest(first, second, cells),
        wins=sum((ratio > 0) == up and ratio != 0 for ratio in ratios),
        trials=len(ratios) if way is Way.PROMPTS else _trials(kept, arms, set(cells)),
        median_ratio=math.exp(statistics.median(ratios)),
        cells=len(cells),
        deviation=deviation,
        medians={
            arm: math.exp(statistics.median(value for cell in cells for _, value in values[cell]))
            for arm, values in zip(arms, (first, second), strict=True)
        },
    )


def _cell(row: Row) -> _Cell:
    return (*row.cell, row.label, row.prompt_id)


def _values(rows: Sequence[Row], arm: str, metric: str, void: set[_Cell]) -> _Values:
    """Return the logs of an arm's values that are above 0, by cell, each with its number."""
    found: dict[_Cell, list[tuple[object, float]]] = {}
    for row in rows:
        if row.arm != arm or _cell(row) in void:
            continue
        number = (row.block, row.trial) if row.block is not None or row.trial is not None else None
        told = [row.values[metric]] if metric in row.values else []
        series = row.series.get(metric, ()) if row.trial is None and len(row.series.get(metric, ())) > 1 else ()
        for value in series or told:
            if value > 0:
                found.setdefault(_cell(row), []).append((number, math.log(value)))
    return found


def _ratios(first: _Values, second: _Values, cells: Sequence[_Cell], *, named: bool) -> tuple[Way, list[float]]:
    means = [_middle(second[cell]) - _middle(first[cell]) for cell in cells]
    if named:
        return Way.PROMPTS, means
    numbers = _shared_numbers(first, second, cells)
    if len(numbers) >= _LEAST:
        one, other = ({cell: dict(values[cell]) for cell in cells} for values in (first, second))
        return Way.TRIALS, [statistics.fmean(other[cell][n] - one[cell][n] for cell in cells) for n in numbers]
    if _fewest(first, second, cells) >= _LEAST:
        return Way.UNPAIRED, []
    return Way.CELLS, means


def _shared_numbers(first: _Values, second: _Values, cells: Sequence[_Cell]) -> list[object]:
    """Return the numbers of trials that every cell of both arms has, when no other ones are there."""
    sets = [[number for number, _ in values[cell]] for cell in cells for values in (first, second)]
    alike = all(None not in numbers and len(set(numbers)) == len(numbers) for numbers in sets)
    return sets[0] if alike and all(set(numbers) == set(sets[0]) for numbers in sets) else []


def _middle(values: Sequence[tuple[object, float]]) -> float:
    return statistics.median(value for _, value in values)


def _paired(ratios: Sequence[float], alpha: float) -> tuple[float, float | None, float | None, float | None]:
    if len(ratios) < _LEAST:
        return ratios[0], None, None, None
    effect = effect_of(ratios, alpha=alpha, floor=_FLOOR)
    return statistics.fmean(ratios), math.log(effect.low), math.log(effect.high), effect.deviation


def _welch(
    first: _Values, second: _Values, cells: Sequence[_Cell], alpha: float
) -> tuple[float, float | None, float | None, float | None]:
    parts = []
    means = []
    for cell in cells:
        one, other = ([value for _, value in values[cell]] for values in (first, second))
        means.append(statistics.fmean(other) - statistics.fmean(one))
        for side in (one, other):
            variance = max(statistics.variance(side), _FLOOR**2)
            parts.append((variance / len(side), len(side) - 1))
    total = sum(part for part, _ in parts)
    freedom = total**2 / sum(part**2 / free for part, free in parts)
    reach = t_quantile(1 - alpha / 2, freedom) * math.sqrt(total) / len(cells)
    middle = statistics.fmean(means)
    return middle, middle - reach, middle + reach, math.sqrt(total) / len(cells)


def _fewest(first: _Values, second: _Values, cells: Sequence[_Cell]) -> int:
    return min(len(values[cell]) for cell in cells for values in (first, second))


def _trials(rows: Sequence[Row], arms: tuple[str, str], cells: set[_Cell]) -> int | None:
    counts: dict[tuple[str, _Cell], list[int | None]] = {}
    for row in rows:
        if row.arm in arms and _cell(row) in cells:
            counts.setdefault((row.arm, _cell(row)), []).append(row.trials)
    sums = [None if None in found else sum(count or 0 for count in found) for found in counts.values()]
    return None if None in sums else min((count or 0 for count in sums), default=0)
