"""What moving a thread costs under load: whether an experiment shows that it is not slower by more than a share."""

__all__ = ["MOST_LOST", "CostStatus", "LoadCost", "cost_of"]

from dataclasses import dataclass
from enum import Enum

from sparktune.experiment.effect import Effect
from sparktune.experiment.result import CellHarm, ExperimentResult, GuardResult
from sparktune.experiment.rules import ANECDOTE_BELOW
from sparktune.experiment.verdict import Verdict
from sparktune.units import Ratio

MOST_LOST: Ratio = 0.03
"""What may be lost at most of tokens per second."""
_VOID = frozenset({Verdict.INVALID, Verdict.STOPPED})


class CostStatus(Enum):
    """SHOWN: not lower by more than the margin. LOWER: shown to be lower by more. OPEN: neither is shown."""

    SHOWN = "shown"
    LOWER = "lower"
    OPEN = "not shown"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadCost:
    """``effect`` above 1 means that more tokens per second came with the thread moved; None where it is not known.

    ``harms`` are single cells that lost more, which the means of tokens per second and of guards hide.
    """

    experiment: str
    metric: str
    status: CostStatus
    verdict: Verdict | None
    why: str = ""
    margin: Ratio = MOST_LOST
    effect: Effect | None = None
    guards: tuple[GuardResult, ...] = ()
    harms: tuple[CellHarm, ...] = ()


def cost_of(result: ExperimentResult) -> LoadCost:
    """Return what an experiment under load shows; fewer blocks than three show nothing."""
    effect, least = result.judgement.effect, 1 / (1 + MOST_LOST)
    status = CostStatus.OPEN
    if effect is not None and effect.blocks >= ANECDOTE_BELOW and result.verdict not in _VOID:
        status = CostStatus.SHOWN if effect.low > least else CostStatus.LOWER if effect.high < least else status
    return LoadCost(
        experiment=result.experiment.id,
        metric=result.experiment.primary.metric,
        status=status,
        verdict=result.verdict,
        why=result.why,
        effect=effect,
        guards=result.guards,
        harms=result.harms,
    )
