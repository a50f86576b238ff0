"""What is known of every configuration of a sweep so far, for views, reports and the choice."""

__all__ = ["estimates"]

from collections.abc import Collection, Sequence

from sparktune.experiment.search.fit import Cell, Fit, fit
from sparktune.experiment.search.record import Record, cell_of
from sparktune.experiment.search.screen import observations, why_not_screened
from sparktune.experiment.search.task import next_task, upcoming
from sparktune.model.sweep import (
    BASELINE,
    Candidate,
    ConfirmTask,
    Estimate,
    Stage,
    Standing,
    SweepPlan,
    SweepTask,
    SweepVisit,
    VisitTask,
)


def estimates(plan: SweepPlan, visits: Sequence[SweepVisit]) -> tuple[Estimate, ...]:
    """Return the baseline, the screened in the order of the plan, and the combinations that came up, best first.

    ``log_ratio`` is the model's (``search.fit``): it uses all visits, also those of configurations that share a value.
    """
    record = Record(plan=plan, visits=tuple(visit for visit in visits if visit.stage is not Stage.CONFIRM))
    task = next_task(plan, visits)
    model = fit(*observations(record)) if BASELINE in record.measured else None
    listed = {one.key for one in plan.screened}
    coming = {one.key: one for one in upcoming(record)}
    met = dict.fromkeys([*(visit.key for visit in record.visits), *coming])
    others = [_candidate(record, key) for key in met if key != BASELINE and key not in listed]
    found = [_of(record, task, model, one, coming) for one in (*plan.screened, *others)]
    combined = sorted(found[len(listed) :], key=lambda one: -(one.log_ratio if one.log_ratio is not None else -1e9))
    base = record.measured.get(BASELINE, ())
    first = Estimate(
        candidate=Candidate(key=BASELINE),
        standing=Standing.BASELINE,
        log_ratio=0.0 if base else None,
        error=0.0 if base else None,
        stage=base[-1].stage if base else None,
        visits=len(base),
        why=record.failed.get(BASELINE, ""),
    )
    return (first, *found[: len(listed)], *combined)


def _candidate(record: Record, key: str) -> Candidate:
    return Candidate(key=key, values=dict(record.cell(key)))


def _of(record: Record, task: SweepTask, model: Fit | None, candidate: Candidate, coming: Collection[str]) -> Estimate:
    own = record.measured.get(candidate.key, ())
    standing, why = _standing(record, task, candidate, coming)
    mean, error = _guessed(model, cell_of(candidate)) if own and model is not None else (None, None)
    return Estimate(
        candidate=candidate,
        standing=standing,
        log_ratio=mean,
        error=error,
        stage=next((visit.stage for visit in reversed(record.settled) if visit.key == candidate.key), None),
        visits=len(own),
        why=why,
    )


def _guessed(model: Fit, cell: Cell) -> tuple[float, float]:
    guess = model.guess(cell)
    return guess.mean, model.error(guess, model.guess(()))


def _standing(record: Record, task: SweepTask, candidate: Candidate, coming: Collection[str]) -> tuple[Standing, str]:
    key = candidate.key
    if isinstance(task, ConfirmTask) and task.candidate.key == key:
        return Standing.CHOSEN, task.why
    if failed := record.failed.get(key) or why_not_screened(record, candidate):
        return Standing.INFEASIBLE, failed
    if unfit := record.unfit(key):
        return Standing.UNFIT, unfit
    if key in coming:
        return Standing.RACING, ""
    return _behind(record, task, key) if key in record.measured else _unmeasured(record, task, key)


def _behind(record: Record, task: SweepTask, key: str) -> tuple[Standing, str]:
    if isinstance(task, VisitTask) and task.stage is Stage.SCREEN:
        return Standing.MEASURED, ""
    raced = [visit.block for visit in record.measured[key] if visit.stage is Stage.RACE]
    when = f"block {max(raced)} of the race" if raced else "screening"
    return Standing.OUT, f"others looked better after {when}"


def _unmeasured(record: Record, task: SweepTask, key: str) -> tuple[Standing, str]:
    if any(visit.key == key for visit in record.settled):
        return Standing.UNKNOWN, "its visits were void, every one of them"
    if isinstance(task, VisitTask) and (task.stage is Stage.SCREEN or task.candidate.key == key):
        return Standing.WAITING, ""
    return Standing.OUT, "not visited: the search ended before"
