"""What a report of an experiment is made of, and which wave stands for the others in its picture."""

__all__ = ["Chosen", "Material", "choose_wave", "value_of_block"]

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from sparktune.experiment.blocks import complete_blocks
from sparktune.experiment.design import Arm
from sparktune.experiment.result import ExperimentResult
from sparktune.model.cell import Cell
from sparktune.model.result import RunResult
from sparktune.model.trial import Trial
from sparktune.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """``waves`` are the recorded waves of ``choose_wave``.

    ``measured_from`` is, by run, when its first trial was sent (Unix time). Both are empty where nothing is known: then
    the report says so.
    """

    result: ExperimentResult
    waves: Mapping[Arm, Trial] = field(default_factory=dict)
    measured_from: Mapping[str, Seconds] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A trial of each arm: ``trials`` are numbers from 0 within the cell, ``runs`` the runs that hold them."""

    block: int
    cell: Cell
    runs: Mapping[Arm, str]
    trials: Mapping[Arm, int]


def choose_wave(result: ExperimentResult) -> Chosen | None:
    """Choose the wave to show: most streams and longest prompt, the middle block, the middle trial by the primary.

    A rule instead of an eye, so that nobody picks the wave that looks best. None when no block is complete.
    """
    pairs = complete_blocks([visit for visit in result.visits if visit.result is not None])
    ordered = sorted((block for block in result.blocks if block.number in pairs), key=lambda block: block.ratio)
    if not ordered:
        return None
    block = ordered[(len(ordered) - 1) // 2]
    pair = pairs[block.number]
    rows = {arm: _rows(pair[arm].result) for arm in Arm}
    cells = [cell for cell in rows[Arm.A] if cell in rows[Arm.B]]
    if not cells:
        return None
    cell = max(cells, key=lambda cell: (cell.streams, cell.total_prompt_tokens))
    metric = result.experiment.primary.metric
    return Chosen(
        block=block.number,
        cell=cell,
        runs={arm: pair[arm].record.run_id for arm in Arm},
        trials={arm: _middle_trial(pair[arm].result, cell, metric) for arm in Arm},
    )


def value_of_block(values: Mapping[str, float], weights: Mapping[str, float]) -> float | None:
    """Return the weighted geometric mean over cells; None without a value above 0."""
    known = {cell: value for cell, value in values.items() if 0 < value < math.inf and weights.get(cell, 1.0) > 0}
    total = sum(weights.get(cell, 1.0) for cell in known)
    if not known or not 0 < total < math.inf:
        return None
    return math.exp(sum(weights.get(cell, 1.0) * math.log(value) for cell, value in known.items()) / total)


def _rows(result: RunResult | None) -> list[Cell]:
    return [row.cell for row in result.cells if row.trials] if result is not None else []


def _middle_trial(result: RunResult | None, cell: Cell, metric: str) -> int:
    row = next(row for row in result.cells if row.cell == cell) if result is not None else None
    summary = row.metric(metric) if row is not None else None
    known = [(value, place) for place, value in enumerate(summary.per_trial) if value is not None] if summary else []
    return sorted(known)[(len(known) - 1) // 2][1] if known else 0
