"""What is known of every configuration of a sweep so far, for views, reports and the choice."""

__all__ = ["estimates"]

from collections.abc import Sequence

from sparktune.model.sweep import BASELINE, Candidate, Estimate, Stage, Standing, SweepPlan, SweepVisit, VisitEnd


def estimates(plan: SweepPlan, visits: Sequence[SweepVisit]) -> tuple[Estimate, ...]:
    """Return the baseline, the screened in the order of the plan, and the combinations that came up, best first."""
    own = [visit for visit in visits if visit.key == BASELINE and visit.log_value is not None]
    base = sum(visit.log_value or 0.0 for visit in own) / len(own) if own else None
    first = Estimate(
        candidate=Candidate(key=BASELINE), standing=Standing.BASELINE, log_ratio=0.0 if own else None, visits=len(own)
    )
    return (first, *(_of(candidate, visits, base) for candidate in plan.screened))


def _of(candidate: Candidate, visits: Sequence[SweepVisit], base: float | None) -> Estimate:
    own = [visit for visit in visits if visit.key == candidate.key and visit.end is not VisitEnd.VOID]
    if not own:
        return Estimate(candidate=candidate, standing=Standing.WAITING)
    last = own[-1]
    if last.log_value is None or base is None:
        return Estimate(candidate=candidate, standing=Standing.INFEASIBLE, stage=Stage.SCREEN, why=last.why)
    return Estimate(
        candidate=candidate,
        standing=Standing.MEASURED,
        log_ratio=last.log_value - base,
        stage=Stage.SCREEN,
        visits=len(own),
    )
