"""A search among settings as it was declared, what its visits came to, and what is to be done next."""

__all__ = [
    "BASELINE",
    "Candidate",
    "ConfirmTask",
    "Constraint",
    "DoneTask",
    "Estimate",
    "KnobRange",
    "Pruned",
    "Stage",
    "Standing",
    "SweepPlan",
    "SweepState",
    "SweepTask",
    "SweepVisit",
    "VisitEnd",
    "VisitTask",
]

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Literal

from sparktune.units import Ratio, Seconds

BASELINE: Final = "baseline"
"""The key of the user's own configuration, from which every candidate differs."""


class Stage(Enum):
    """Where a visit belongs. What SCREEN and RACE measured chooses whom to look at; CONFIRM alone decides."""

    SCREEN = "screen"
    RACE = "race"
    CONFIRM = "confirm"


class VisitEnd(Enum):
    """How a visit ended.

    INFEASIBLE (did not start, out of memory), STOPPED (by a guard) and REFUSED (not live) are results: they are kept
    with their reason and never tried again by the sweep. VOID is measured again.
    """

    MEASURED = "measured"
    INFEASIBLE = "infeasible"
    STOPPED = "stopped"
    REFUSED = "refused"
    VOID = "void"


class SweepState(Enum):
    """Where a sweep stands; one that a crash ended stays RUNNING."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnobRange:
    """``knob`` is a setting in its normal name (``max_num_seqs``); ``values`` as they are written, in the user's order.

    ``baseline`` is what runs now, "" for not set. ``raises_memory``: larger values want more memory, so that they are
    tried upwards, each only when the one below it ran.
    """

    knob: str
    values: tuple[str, ...]
    baseline: str = ""
    raises_memory: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A configuration: ``values`` by knob where it differs from the baseline; ``key`` names it ("a=1 b=2"), sorted.

    ``moved`` is how many knobs differ. ``after`` is the key of the candidate that has to have run before ("" for
    none): the next smaller step of a knob that raises memory.
    """

    key: str
    values: Mapping[str, str] = field(default_factory=dict)
    after: str = ""

    @property
    def moved(self) -> int:
        """How many knobs differ from the baseline."""
        return len(self.values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """A configuration that is not worth a start; ``why`` and ``rule`` say what showed it, without any GPU time."""

    key: str
    why: str
    rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A metric of a visit (its worst cell) that must stay on one side of ``limit``, in the metric's own unit."""

    metric: str
    at: Literal["most", "least"]
    limit: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPlan:
    """All that was decided before the first visit.

    ``screened`` are the candidates that are screened, one knob moved in each, in the order in which knobs and values
    were given (the order of visits is drawn by ``seed``). ``pruned`` were left out before. ``ranges`` are the whole
    space, from which combinations come. ``race_blocks`` further blocks are the most that a race has; ``pairs``: whether
    combinations of what won alone are raced, too. ``margin`` is the smallest effect worth having, as a share.
    ``budget_s`` is the most that screening and race may take, None for no limit; ``visit_s`` what one visit is
    thought to take, None where nothing tells. ``constraints`` make a measured candidate unfit to win.
    """

    ranges: tuple[KnobRange, ...]
    screened: tuple[Candidate, ...]
    pruned: tuple[Pruned, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    race_blocks: int = 3
    pairs: bool = True
    margin: Ratio = 0.03
    seed: int = 0
    budget_s: Seconds | None = None
    visit_s: Seconds | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepVisit:
    """One visit that has ended. ``number`` counts visits from 1; ``block`` is 0 in screening.

    ``log_value`` is the natural logarithm of the objective (larger is better, whatever the metric), None unless it was
    measured; ``metrics`` are the metrics that constraints and pictures want, the worst cell of each. ``took_s`` is how
    long it took. ``run_id`` holds its trials; ``why`` explains every end but MEASURED.
    """

    number: int
    stage: Stage
    block: int
    key: str
    end: VisitEnd
    log_value: float | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    took_s: Seconds = 0.0
    run_id: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitTask:
    """Visit this configuration now; ``why`` says what for, in words for the live view."""

    stage: Stage
    block: int
    candidate: Candidate
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmTask:
    """Screening and race are over: compare this one with the baseline on fresh blocks, by an experiment of its own."""

    candidate: Candidate
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneTask:
    """Nothing more is worth a visit; ``why`` says so: nothing looked better, or the budget is used up."""

    why: str


SweepTask = VisitTask | ConfirmTask | DoneTask


class Standing(Enum):
    """Where a configuration stands in a search.

    WAITING: not visited yet. MEASURED: screened, and the race has not begun. RACING: it is in the next block. OUT: left
    behind by better ones, ``why`` says when. UNFIT: measured, but beyond a constraint. INFEASIBLE: did not run, or was
    not tried because something smaller of it did not. UNKNOWN: visited, but never validly. CHOSEN: to be confirmed.
    """

    BASELINE = "baseline"
    WAITING = "waiting"
    MEASURED = "measured"
    RACING = "racing"
    OUT = "out"
    UNFIT = "unfit"
    INFEASIBLE = "infeasible"
    UNKNOWN = "unknown"
    CHOSEN = "chosen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What is known of a configuration before it is confirmed: enough to choose by, never enough to claim by.

    ``log_ratio`` is the logarithm of its objective over the baseline's (0.1: about 10 % better), None while nothing was
    measured of it; ``error`` its standard error. ``stage`` is the last stage that visited it, None for none; ``visits``
    how many of its visits were measured. ``why`` explains its standing in words, "" where there is nothing to explain.
    """

    candidate: Candidate
    standing: Standing
    log_ratio: float | None = None
    error: float | None = None
    stage: Stage | None = None
    visits: int = 0
    why: str = ""
