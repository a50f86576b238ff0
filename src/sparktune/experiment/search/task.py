"""What a sweep does next, from its plan and its visits alone: so that resuming is asking again."""

__all__ = ["next_task", "visits_left"]

from collections.abc import Sequence

from sparktune.experiment.search.estimates import estimates
from sparktune.model.sweep import (
    BASELINE,
    Candidate,
    ConfirmTask,
    DoneTask,
    Stage,
    Standing,
    SweepPlan,
    SweepTask,
    SweepVisit,
    VisitEnd,
    VisitTask,
)


def next_task(plan: SweepPlan, visits: Sequence[SweepVisit]) -> SweepTask:
    """Return the next visit, whom to confirm, or why there is nothing more to do; the same arguments, the same task."""
    settled = [visit for visit in visits if visit.end is not VisitEnd.VOID and visit.stage is Stage.SCREEN]
    if not settled:
        return VisitTask(stage=Stage.SCREEN, block=0, candidate=Candidate(key=BASELINE), why="the baseline comes first")
    known = estimates(plan, visits)
    for estimate in known:
        if estimate.standing is Standing.WAITING:
            return VisitTask(stage=Stage.SCREEN, block=0, candidate=estimate.candidate, why="screening")
    best = max((entry for entry in known if entry.log_ratio is not None), key=lambda entry: entry.log_ratio or 0.0)
    if best.candidate.key == BASELINE:
        return DoneTask(why="nothing looked better than the baseline")
    return ConfirmTask(candidate=best.candidate, why="it looked best")


def visits_left(plan: SweepPlan, visits: Sequence[SweepVisit]) -> int:
    """Return how many visits screening and race may still have, at most; the confirmation is not among them."""
    return max(len(plan.screened) + 1 - len(visits), 0)
