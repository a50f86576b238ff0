"""What a sweep came to so far: the record that its reports are made of."""

__all__ = ["SweepResult"]

from dataclasses import dataclass

from sparktune.experiment.plan import Experiment
from sparktune.experiment.result import ExperimentResult
from sparktune.experiment.verdict import Verdict
from sparktune.model.sweep import Estimate, SweepPlan, SweepVisit
from sparktune.model.sweep_record import SweepRecord
from sparktune.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """``experiment`` holds what the visits touch, and says what is measured; ``known`` is best first.

    ``left`` is how many visits screening and race may still have, at most. ``confirmed`` is the experiment that
    compares the winner with the baseline on fresh blocks, as far as it is; None before it was declared.
    """

    record: SweepRecord
    experiment: Experiment
    visits: tuple[SweepVisit, ...]
    known: tuple[Estimate, ...]
    left: int
    confirmed: ExperimentResult | None = None

    @property
    def plan(self) -> SweepPlan:
        """All that was decided before the first visit."""
        return self.record.plan

    @property
    def took_s(self) -> Seconds:
        """What screening and race have taken."""
        return sum(visit.took_s for visit in self.visits)

    @property
    def won(self) -> bool:
        """Whether there is a winner: the one thing that only a confirmation can say."""
        return self.confirmed is not None and self.confirmed.verdict is Verdict.IMPROVED
