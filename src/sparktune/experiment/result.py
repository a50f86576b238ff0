"""What an experiment came to: the record that reports are made of."""

__all__ = [
    "BlockResult",
    "CellEffect",
    "CellHarm",
    "ExperimentResult",
    "GuardResult",
    "GuardStatus",
    "MeasuredVisit",
    "MetricEffect",
]

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better, Effect
from sparktune.experiment.memory_curve import MemoryCurve
from sparktune.experiment.plan import Experiment, VisitRecord
from sparktune.experiment.planning import Noise
from sparktune.experiment.verdict import Judgement, Verdict
from sparktune.model.check import CheckResult
from sparktune.model.result import RunResult
from sparktune.units import Ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredVisit:
    """A visit with the result of its run, None when nothing was measured."""

    record: VisitRecord
    result: RunResult | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockResult:
    """One block that counts. ``values`` are each arm's by the cell's label (the median over the visit's trials).

    ``ratio`` is the log of the primary's ratio, above 0 when the second arm was better; ``order`` says who went first.
    """

    number: int
    order: tuple[Arm, Arm]
    values: Mapping[Arm, Mapping[str, float]]
    ratio: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricEffect:
    """The effect on one metric over all cells; ``effect`` None, with ``why``, where it cannot be had.

    ``medians`` are each arm's over blocks and cells, as a geometric mean.
    """

    metric: str
    better: Better
    effect: Effect | None
    medians: Mapping[Arm, float] = field(default_factory=dict)
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellEffect:
    """The primary's effect in one cell. ``holds``: it remains when all cells are judged together (Holm)."""

    cell: str
    effect: Effect | None
    holds: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellHarm:
    """One cell in which the primary or a guard is shown to be worse by ``margin``, and its mean does not say so.

    ``cells`` is how many cells there are; the interval of ``effect`` is widened for the ``asked`` ones that were looked
    at, of all metrics together. ``weighs``: the cell is in the mean; one of weight 0 is not.
    """

    metric: str
    better: Better
    cell: str
    margin: Ratio
    effect: Effect
    cells: int
    asked: int
    weighs: bool = True


class GuardStatus(Enum):
    """OK: shown to be no worse than the margin. UNPROVEN: not shown. HARMED: shown to be worse."""

    OK = "ok"
    UNPROVEN = "unproven"
    HARMED = "harmed"


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardResult:
    """A metric that must not get worse, and what is known of it."""

    metric: str
    margin: Ratio
    status: GuardStatus
    effect: Effect | None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentResult:
    """``verdict`` None: none yet, or with ``judgement.anecdote`` none to be had. ``why`` explains INVALID and STOPPED.

    ``blocks`` are those that count, in their order; ``visits`` everything that was begun. ``observed`` are further
    metrics, which decide nothing. ``outliers`` counts trials that stood apart and were kept. ``smallest_detectable`` is
    the effect (as a share) that the last look would find in four of five experiments with this noise, ``chance`` the
    chance of a verdict by then, both None where they cannot be told. ``noise`` is what an A/A experiment is for;
    ``afterwards`` says what was set in the end. ``curves`` are the memory of nodes over visits, where it was watched.
    ``harms`` are losses in single cells that means hide; they are told beside the verdict, and are no part of it.
    """

    experiment: Experiment
    verdict: Verdict | None
    judgement: Judgement
    why: str = ""
    blocks: tuple[BlockResult, ...] = ()
    cells: tuple[CellEffect, ...] = ()
    guards: tuple[GuardResult, ...] = ()
    observed: tuple[MetricEffect, ...] = ()
    checks: tuple[CheckResult, ...] = ()
    visits: tuple[MeasuredVisit, ...] = ()
    outliers: int = 0
    smallest_detectable: Ratio | None = None
    chance: Ratio | None = None
    notes: tuple[str, ...] = ()
    noise: Noise | None = None
    afterwards: str = ""
    curves: tuple[MemoryCurve, ...] = ()
    harms: tuple[CellHarm, ...] = ()
