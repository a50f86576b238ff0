"""What an arm of a table holds, in a few numbers: nothing is left out of them, and what stands apart is named."""

__all__ = ["ArmSummary", "CellSummary", "Spread", "cells_of", "summarise"]

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from sparktune.experiment.outliers import outliers_of
from sparktune.model.table import Row, Table

_METRICS = ("output_tok_s", "decode_tok_s", "decode_total_tok_s", "ttft_s", "prefill_tok_s")
_FEWEST = 3
_Cell = tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A metric over all values of an arm, whatever their cells are."""

    median: float
    minimum: float
    maximum: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmSummary:
    """``trials`` sums up what rows say, None when one does not. ``apart`` are values far from their cell's median.

    ``outside`` names arms of which a lone value of this one lies outside all (three or more) values of the same cell.
    ``alike``: the rows are of one cell, or prompts of a set, so that a median over them means something.
    """

    arm: str
    rows: int
    cells: int
    trials: int | None
    failed: int
    spreads: Mapping[str, Spread]
    apart: tuple[float, ...]
    alike: bool
    outside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CellSummary:
    """The medians of a cell in one arm over its ``n`` values; ``row`` is the first of its rows."""

    row: Row
    n: int
    values: Mapping[str, float]


def cells_of(table: Table) -> tuple[CellSummary, ...]:
    """Return every cell of every arm, in the table's order."""
    found: dict[_Cell, list[Row]] = {}
    for row in table.rows:
        found.setdefault((row.arm, *_cell(row)), []).append(row)
    return tuple(
        CellSummary(
            row=rows[0],
            n=max(len(rows), *(len(values) for row in rows for values in row.series.values()), 1),
            values={
                name: statistics.median(row.values[name] for row in rows if name in row.values)
                for name in dict.fromkeys(name for row in rows for name in row.values)
            },
        )
        for rows in found.values()
    )


def summarise(table: Table, arm: str) -> ArmSummary:
    """Return the summary of an arm."""
    rows = [row for row in table.rows if row.arm == arm]
    trials = [row.trials for row in rows]
    spreads = {metric: found for metric in _METRICS if (found := _spread(rows, metric)) is not None}
    return ArmSummary(
        arm=arm,
        rows=len(rows),
        cells=len({_cell(row) for row in rows}),
        trials=None if None in trials else sum(count or 0 for count in trials),
        failed=int(sum(row.values.get("failed_requests", 0) for row in rows)),
        spreads=spreads,
        apart=_apart(rows, next(iter(spreads), "")),
        outside=_outside(table, rows, next(iter(spreads), "")),
        alike=all(row.prompt_id for row in rows) or len({_cell(row) for row in rows}) == 1,
    )


def _cell(row: Row) -> _Cell:
    return (*row.cell, row.label, row.prompt_id)


def _of(row: Row, metric: str) -> tuple[float, ...]:
    return row.series.get(metric) or ((row.values[metric],) if metric in row.values else ())


def _spread(rows: list[Row], metric: str) -> Spread | None:
    values = [value for row in rows for value in _of(row, metric)]
    if not values:
        return None
    return Spread(median=statistics.median(values), minimum=min(values), maximum=max(values), n=len(values))


def _apart(rows: list[Row], metric: str) -> tuple[float, ...]:
    cells: dict[_Cell, list[float]] = {}
    for row in rows:
        cells.setdefault(_cell(row), []).extend(value for value in _of(row, metric) if value > 0)
    known = [values for values in cells.values() if len(values) >= _FEWEST]
    return tuple(values[place] for values in known for place in outliers_of(values))


def _outside(table: Table, rows: list[Row], metric: str) -> tuple[str, ...]:
    if len(rows) != 1 or metric not in rows[0].values:
        return ()
    value, others = rows[0].values[metric], dict.fromkeys(row.arm for row in table.rows if row.arm != rows[0].arm)
    found = []
    for arm in others:
        alike = [row for row in table.rows if row.arm == arm and _cell(row) == _cell(rows[0])]
        values = [one for row in alike for one in _of(row, metric)]
        if len(values) >= _FEWEST and not min(values) <= value <= max(values):
            found.append(arm)
    return tuple(found)
