"""What a validity check is: a question about a finished cell whose answer can void it."""

__all__ = ["CellEvidence", "Check", "CheckResult", "RunEvidence", "Status"]

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from sparktune.model.cell import Cell
from sparktune.model.engine import EngineFacts
from sparktune.model.metric import MetricSummary
from sparktune.model.options import SendOptions, Slo
from sparktune.model.trial import Trial
from sparktune.model.warmup import WarmupOutcome
from sparktune.units import TokensPerSecond


class Status(Enum):
    """The answer. UNKNOWN is not OK: what it would have needed is in the evidence."""

    OK = "ok"
    WARN = "warn"
    INVALID = "invalid"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """``evidence`` is one line with the numbers that led to the status; ``hint`` the next step, where there is one.

    ``label`` names what bounds the cell, where the check can tell.
    """

    id: str
    status: Status
    evidence: str
    hint: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellEvidence:
    """Everything known about one cell: its measured trials, its other waves, and the metrics of its trials."""

    cell: Cell
    trials: tuple[Trial, ...]
    warmups: tuple[Trial, ...] = ()
    contexts: tuple[Trial, ...] = ()
    warmup: WarmupOutcome | None = None
    metrics: tuple[MetricSummary, ...] = ()

    def metric(self, name: str) -> MetricSummary | None:
        """Return the summary with that name, or None."""
        return next((summary for summary in self.metrics if summary.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvidence:
    """Everything known about the run a cell belongs to.

    ``cold_reference_tok_s`` is the cold prefill rate that earlier runs of this endpoint and model reached, or None.
    """

    cells: tuple[CellEvidence, ...]
    engine: EngineFacts
    options: SendOptions
    slo: Slo
    cold_reference_tok_s: TokensPerSecond | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One validity check; the constant ``CHECK`` of one file in ``bench/validity``.

    ``id`` is V01 .. V99 and never reused; ``title`` what it looks for. ``run`` is pure and raises nothing.
    """

    id: str
    title: str
    run: Callable[[CellEvidence, RunEvidence], CheckResult]
