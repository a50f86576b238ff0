"""The result of a run: what reports are made of."""

__all__ = ["CellResult", "RunResult"]

from collections.abc import Mapping
from dataclasses import dataclass, field

from sparktune.model.cell import Cell
from sparktune.model.check import CheckResult
from sparktune.model.metric import MetricSummary
from sparktune.model.run import Run
from sparktune.model.warmup import WarmupOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class CellResult:
    """One row. ``requests`` counts all measured requests, ``failures`` those that failed, by type.

    ``valid`` is false as soon as one check says INVALID. ``incomplete`` counts waves that were ended from outside and
    are therefore in no number. ``label`` is what bounds the cell, where a check could tell (``cold-prefill-bound``,
    ``queue-bound``), else "". ``failure_words`` counts failed requests by type and the server's or system's own words.
    """

    cell: Cell
    trials: int
    trials_asked: int
    requests: int
    failures: Mapping[str, int]
    metrics: tuple[MetricSummary, ...]
    checks: tuple[CheckResult, ...]
    valid: bool
    warmup: WarmupOutcome | None = None
    incomplete: int = 0
    label: str = ""
    failure_words: Mapping[str, int] = field(default_factory=dict)

    def metric(self, name: str) -> MetricSummary | None:
        """Return the summary with that name, or None."""
        return next((summary for summary in self.metrics if summary.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """A run and its rows, in the workload's order. ``notes`` are sentences that hold for the whole run."""

    run: Run
    cells: tuple[CellResult, ...]
    notes: tuple[str, ...] = ()
