"""The acceptance by draft position that a measured run has, for predictions."""

__all__ = ["acceptance_of"]

import statistics

from sparktune.experiment.search.predict import Acceptance
from sparktune.model.result import RunResult

_METRIC = "acceptance_per_position"


def acceptance_of(result: RunResult) -> Acceptance | None:
    """Return the mean over the run's cells; None where no cell has it, or cells drafted unlike numbers of tokens."""
    summaries = (row.metric(_METRIC) for row in result.cells)
    found = [one.by_position for one in summaries if one is not None and one.by_position]
    if not found or len({len(shares) for shares in found}) != 1:
        return None
    return Acceptance(shares=tuple(statistics.fmean(column) for column in zip(*found, strict=True)))
