"""What a sweep came to so far: the record that its reports are made of."""

__all__ = ["SweepResult"]

from dataclasses import dataclass

from sparktune.experiment.plan import Experiment
from sparktune.experiment.result import ExperimentResult, GuardStatus
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
        """Whether there is a winner: confirmed to be better, and every declared guard shown to hold.

        A sweep chooses what somebody will use: what is better at the price of a guard is no answer to what was asked.
        """
        return self._better and all(status is GuardStatus.OK for status in self._guards)

    @property
    def harmful(self) -> bool:
        """Whether what fresh blocks confirmed to be better is also shown to make a guard worse."""
        return self._better and GuardStatus.HARMED in self._guards

    @property
    def unproven(self) -> bool:
        """Whether it is confirmed to be better, no guard is shown to be worse, and one is not shown to hold."""
        return self._better and not self.won and not self.harmful

    @property
    def _better(self) -> bool:
        return self.confirmed is not None and self.confirmed.verdict is Verdict.IMPROVED

    @property
    def _guards(self) -> tuple[GuardStatus, ...]:
        return tuple(guard.status for guard in self.confirmed.guards) if self.confirmed is not None else ()
