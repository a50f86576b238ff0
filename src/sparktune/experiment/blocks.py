"""From measured visits to log ratios of blocks, metric by metric. Nothing is dropped; what is unknown stays unknown."""

__all__ = ["MetricBlocks", "complete_blocks", "metric_blocks", "trial_values"]

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better, log_ratio
from sparktune.experiment.plan import VisitState
from sparktune.experiment.result import MeasuredVisit
from sparktune.model.result import CellResult, RunResult

Pair = Mapping[Arm, MeasuredVisit]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricBlocks:
    """``ratios`` per block, over all cells; ``by_cell`` the same of single cells; ``values`` by block, arm and cell.

    ``why`` says what is missing, when there is a block without a ratio: then ``ratios`` is empty, since blocks that
    are left out for what they show would bend the rest. A visit of which half of the trials or more have no value has
    none either: the median of the others is not that of the visit.
    """

    ratios: tuple[float, ...] = ()
    by_cell: Mapping[str, tuple[float, ...]]
    values: tuple[Mapping[Arm, Mapping[str, float]], ...]
    why: str = ""


def complete_blocks(visits: Sequence[MeasuredVisit]) -> Mapping[int, Pair]:
    """Return the blocks of which both visits of one attempt were measured to their end, by number, in order."""
    attempts: dict[tuple[int, int], dict[Arm, MeasuredVisit]] = {}
    for visit in visits:
        if visit.record.state is VisitState.DONE and visit.result is not None:
            attempts.setdefault((visit.record.block, visit.record.attempt), {})[visit.record.arm] = visit
    whole = {key: pair for key, pair in attempts.items() if set(pair) == set(Arm)}
    return {block: whole[block, attempt] for block, attempt in sorted(whole)}


def trial_values(result: RunResult, metric: str) -> Mapping[str, tuple[float, ...]]:
    """Return the values of a metric by the cell's label, one per trial that has one."""
    found: dict[str, tuple[float, ...]] = {}
    for row in result.cells:
        summary = row.metric(metric)
        values = () if summary is None else tuple(value for value in summary.per_trial if value is not None)
        if values:
            found[row.cell.label] = values
    return found


def metric_blocks(
    blocks: Mapping[int, Pair], metric: str, better: Better, weights: Mapping[str, float]
) -> MetricBlocks:
    """Return a metric's log ratios; ``weights`` by the cell's label, 1 for one that is not named."""
    values: list[dict[Arm, dict[str, float]]] = []
    by_cell: dict[str, list[float]] = {}
    ratios: list[float] = []
    missing: list[str] = []
    cells = _cells(blocks.values())
    for number, pair in blocks.items():
        arms = {arm: _medians(pair[arm], metric) for arm in Arm}
        values.append(arms)
        found = {cell: _ratio(arms, cell, better) for cell in cells}
        missing += [
            f"{_gap(pair, cell, metric)}block {number}, {cell}{_reason(pair, cell, metric)}"
            for cell, ratio in found.items()
            if ratio is None and _weight(weights, cell)
        ]
        known = {cell: ratio for cell, ratio in found.items() if ratio is not None}
        for cell, ratio in known.items():
            by_cell.setdefault(cell, []).append(ratio)
        total = sum(_weight(weights, cell) for cell in known)
        if total > 0:
            ratios.append(sum(_weight(weights, cell) * ratio for cell, ratio in known.items()) / total)
    why = f"{metric} has no value above 0 in {missing[0]}" if missing else "" if ratios else "no block is complete"
    return MetricBlocks(
        ratios=() if why else tuple(ratios),
        by_cell={cell: tuple(found) for cell, found in by_cell.items() if len(found) == len(blocks)},
        values=tuple(values),
        why=why,
    )


def _medians(visit: MeasuredVisit, metric: str) -> dict[str, float]:
    if visit.result is None:
        return {}
    told = trial_values(visit.result, metric)
    few = {row.cell.label for row in visit.result.cells if 2 * len(told.get(row.cell.label, ())) <= _asked(row, metric)}
    return {cell: statistics.median(values) for cell, values in told.items() if cell not in few}


def _gap(pair: Pair, cell: str, metric: str) -> str:
    """Say that only some trials lack the value, where each arm has one of another trial."""
    told = [trial_values(visit.result, metric) for visit in pair.values() if visit.result is not None]
    return "half of the trials or more of " if all(cell in values for values in told) else ""


def _reason(pair: Pair, cell: str, metric: str) -> str:
    """Say why the first arm that lacks the value has none, where its result knows."""
    for arm, visit in pair.items():
        rows = [row for row in visit.result.cells if row.cell.label == cell] if visit.result is not None else []
        summary = rows[0].metric(metric) if rows else None
        if summary is not None and not summary.n and summary.why:
            return f" (arm {arm.value}: {summary.why})"
    return ""


def _asked(row: CellResult, metric: str) -> int:
    summary = row.metric(metric)
    return 0 if summary is None else len(summary.per_trial)


def _cells(blocks: Iterable[Pair]) -> tuple[str, ...]:
    """Return the cells of all blocks: one that a block lacks in both arms is missing there, too."""
    results = [visit.result for pair in blocks for visit in pair.values() if visit.result is not None]
    return tuple(dict.fromkeys(row.cell.label for result in results for row in result.cells))


def _ratio(arms: Mapping[Arm, Mapping[str, float]], cell: str, better: Better) -> float | None:
    first, second = arms[Arm.A].get(cell), arms[Arm.B].get(cell)
    if first is None or second is None:
        return None
    try:
        return log_ratio(first, second, better)
    except ValueError:
        return None


def _weight(weights: Mapping[str, float], cell: str) -> float:
    return weights.get(cell, 1.0)
