"""What one visit came to in one number, and the worst cell of each metric: what a search compares and holds to limits.

The number is the logarithm of the primary's weighted geometric mean over cells, each cell by the median of its trials:
the same of which an experiment's blocks are ratios, so that both stages speak of one thing.
"""

__all__ = ["MEMORY", "TOOLS", "log_objective", "tool_score", "worst_cells"]

import math
import statistics
from collections.abc import Mapping
from typing import Final

from sparktune.experiment.blocks import trial_values
from sparktune.experiment.effect import Better
from sparktune.experiment.plan import Primary
from sparktune.model.quality import ItemState, Quality
from sparktune.model.result import RunResult

MEMORY: Final = "mem_available_bytes"
TOOLS: Final = "tool_score"


def log_objective(result: RunResult, primary: Primary) -> float | None:
    """Return the logarithm of the objective, larger is better; None where a cell that counts has no value above 0."""
    medians = {cell: statistics.median(values) for cell, values in trial_values(result, primary.metric).items()}
    weights = {row.cell.label: primary.weights.get(row.cell.label, 1.0) for row in result.cells}
    counted = {cell: weight for cell, weight in weights.items() if weight > 0}
    if not counted or any(medians.get(cell, 0.0) <= 0 for cell in counted):
        return None
    mean = sum(weight * math.log(medians[cell]) for cell, weight in counted.items()) / sum(counted.values())
    return mean if primary.better is Better.HIGHER else -mean


def worst_cells(result: RunResult, better: Mapping[str, Better]) -> dict[str, float]:
    """Return each metric's median in its worst cell, for those whose direction is known."""
    found: dict[str, float] = {}
    for name, direction in better.items():
        medians = [statistics.median(values) for values in trial_values(result, name).values()]
        if medians:
            found[name] = min(medians) if direction is Better.HIGHER else max(medians)
    return found


def tool_score(quality: Quality | None) -> float | None:
    """Return the share of tool calls that were right, None where none could be judged."""
    judged = [item for item in (quality.items if quality else ()) if item.state is not ItemState.UNKNOWN]
    return sum(item.state is ItemState.PASS for item in judged) / len(judged) if judged else None
