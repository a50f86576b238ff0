"""The effect between two arms of a table that others made: pairs where there are any, else cells, and an interval.

Ratios are the second arm's value / the first's, whichever way is better. Three ways, the first that the table allows:
prompts that both arms answered (one log ratio each); blocks, or else trials, of the same number (per number the mean
over cells); trials without numbers (Welch's interval, cells averaged); else cells, whose values may be one trial each.
Trials of one block share a start of the server: they are one value, their median, and no further evidence. So are rows
with one trial's number: its streams, or a row that is there twice. Where the trials of a cell do not differ by more
than the last digit that is told, what was rounded away may be the same in all of them: the interval is wider by it.
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
_DECIMALS = 4
_GRAINS = 1.5  # values one digit apart, whatever a float makes of that
_Cell = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class _Block:
    number: int


_Values = Mapping[_Cell, Sequence[tuple[object, float]]]  # by cell: (block, trial's number or None; value)


class Way(Enum):
    """What one independent value of a comparison is."""

    PROMPTS = "prompts"
    BLOCKS = "blocks"
    TRIALS = "trials"
    UNPAIRED = "trials without pairs"
    CELLS = "cells"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """``ratio`` of the second arm to the first; ``low`` and ``high`` None where one value has no interval.

    ``units`` counts independent values, ``wins`` those in which the second arm was better; ``trials`` the fewest trials
    of a cell and arm (blocks where there are any), None when the table does not say. ``median_ratio`` is that of the
    single ratios. ``medians`` are over all values of an arm. ``deviation`` is that of the log ratios. ``lacking`` is
    how many rows of the same cells have no value above 0 and are in no ratio: they may be those that were slowest.
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
    lacking: int = 0

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
    paired = way is not Way.UNPAIRED
    middle, low, high, deviation = _paired(ratios, alpha) if paired else _welch(first, second, cells, alpha)
    rounded = _rounded_away(first, second, cells, _grain(kept, arms, metric))
    up = _METRICS[metric] is Better.HIGHER
    return Comparison(
        metric=metric,
        better=_METRICS[metric],
        first=arms[0],
        second=arms[1],
        way=way,
        ratio=math.exp(middle),
        low=None if low is None else math.exp(low - rounded / len(cells)),
        high=None if high is None else math.exp(high + rounded / len(cells)),
        confidence=1 - alpha,
        units=len(ratios) if paired else _fewest(first, second, cells),
        wins=sum((ratio > 0) == up and ratio != 0 for ratio in ratios),
        trials=len(ratios) if way is Way.PROMPTS else _trials(kept, arms, set(cells)),
        median_ratio=math.exp(statistics.median(ratios)),
        cells=len(cells),
        deviation=deviation,
        medians={arm: _median(values, cells) for arm, values in zip(arms, (first, second), strict=True)},
        lacking=_lacking(kept, arms, metric, void_cells),
    )


def _cell(row: Row) -> _Cell:
    return (*row.cell, row.label, row.prompt_id)


def _values(rows: Sequence[Row], arm: str, metric: str, void: set[_Cell]) -> _Values:
    """Return the logs of an arm's values that are above 0, by cell, each with its number, which has one value."""
    found: dict[_Cell, list[tuple[object, float]]] = {}
    numbered: dict[tuple[_Cell, object], list[float]] = {}
    for row in rows:
        if row.arm != arm or _cell(row) in void:
            continue
        logs = [math.log(value) for value in _told(row, metric) if value > 0]
        number: object = row.trial if row.block is None else _Block(row.block)
        if number is not None:
            numbered.setdefault((_cell(row), number), []).extend(logs)
        else:
            found.setdefault(_cell(row), []).extend((None, value) for value in logs)
    for (cell, number), logs in numbered.items():
        if logs:
            found.setdefault(cell, []).append((number, statistics.median(logs)))
    return {cell: values for cell, values in found.items() if values}


def _told(row: Row, metric: str) -> Sequence[float]:
    series = row.series.get(metric, ()) if row.trial is None and len(row.series.get(metric, ())) > 1 else ()
    return series or ([row.values[metric]] if metric in row.values else [])


def _grain(rows: Sequence[Row], arms: tuple[str, str], metric: str) -> float:
    """Return the last digit that a table tells of a metric: 1, 0.1 ...; 0 where it tells more than four decimals."""
    told = [value for row in rows if row.arm in arms for value in _told(row, metric)]
    return next((10.0**-places for places in range(_DECIMALS + 1) if all(_has(one, places) for one in told)), 0.0)


def _has(value: float, places: int) -> bool:
    return math.isclose(round(value, places), value, rel_tol=1e-12)


def _rounded_away(first: _Values, second: _Values, cells: Sequence[_Cell], grain: float) -> float:
    """Return what rounding may have taken from all trials of a cell alike, as a log, summed over cells and arms.

    0 where the noise of a cell undoes it.
    """
    lost = 0.0
    for values in (first, second):
        for cell in cells:
            told = [math.exp(value) for _, value in values[cell]]
            if len(told) > 1 and max(told) - min(told) < _GRAINS * grain:
                lost += grain / 2 / min(told)
    return lost


def _lacking(rows: Sequence[Row], arms: tuple[str, str], metric: str, void: set[_Cell]) -> int:
    """Return how many rows have no value above 0, of cells that both arms have and one of them has a value in."""
    cells = [{_cell(row) for row in rows if row.arm == arm} for arm in arms]
    known = {_cell(row) for row in rows if row.arm in arms and any(value > 0 for value in _told(row, metric))}
    both = (cells[0] & cells[1] & known) - void
    told = [_told(row, metric) for row in rows if row.arm in arms and _cell(row) in both]
    return sum(not values or min(values) <= 0 for values in told)


def _ratios(first: _Values, second: _Values, cells: Sequence[_Cell], *, named: bool) -> tuple[Way, list[float]]:
    means = [_middle(second[cell]) - _middle(first[cell]) for cell in cells]
    if named:
        return Way.PROMPTS, means
    numbers = _shared_numbers(first, second, cells)
    if len(numbers) >= _LEAST:
        one, other = ({cell: dict(values[cell]) for cell in cells} for values in (first, second))
        way = Way.BLOCKS if all(isinstance(number, _Block) for number in numbers) else Way.TRIALS
        return way, [statistics.fmean(other[cell][n] - one[cell][n] for cell in cells) for n in numbers]
    if _fewest(first, second, cells) >= _LEAST:
        return Way.UNPAIRED, means
    return Way.CELLS, means


def _shared_numbers(first: _Values, second: _Values, cells: Sequence[_Cell]) -> list[object]:
    """Return the numbers of trials that every cell of both arms has, when no other ones are there."""
    sets = [[number for number, _ in values[cell]] for cell in cells for values in (first, second)]
    alike = all(None not in numbers and len(set(numbers)) == len(numbers) for numbers in sets)
    return sets[0] if alike and all(set(numbers) == set(sets[0]) for numbers in sets) else []


def _middle(values: Sequence[tuple[object, float]]) -> float:
    return statistics.median(value for _, value in values)


def _median(values: _Values, cells: Sequence[_Cell]) -> float:
    return math.exp(statistics.median(value for cell in cells for _, value in values[cell]))


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
    """Return the fewest blocks, or where there are none trials, of a cell and arm."""
    found: dict[tuple[str, _Cell], list[Row]] = {}
    for row in rows:
        if row.arm in arms and _cell(row) in cells:
            found.setdefault((row.arm, _cell(row)), []).append(row)
    counts = [_count(alike) for alike in found.values()]
    return None if None in counts else min((count or 0 for count in counts), default=0)


def _count(rows: Sequence[Row]) -> int | None:
    blocks = {row.block for row in rows if row.block is not None}
    trials = {row.trial for row in rows if row.trial is not None}
    if blocks or (trials and all(row.trial is not None for row in rows)):
        return len(blocks or trials)
    counts = [row.trials for row in rows]
    return None if None in counts else sum(count or 0 for count in counts)
