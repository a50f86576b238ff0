"""What a sweep does next, from its plan and its visits alone: so that resuming is asking again."""

__all__ = ["next_task", "upcoming", "visits_left"]

import math
from collections import Counter
from collections.abc import Sequence

from sparktune.experiment.search.choose import choose
from sparktune.experiment.search.race import Block, most_arms, next_block
from sparktune.experiment.search.record import Record, key_of
from sparktune.experiment.search.screen import BETWEEN, next_screening
from sparktune.model.sweep import BASELINE, Candidate, DoneTask, Stage, SweepPlan, SweepTask, SweepVisit, VisitTask


def next_task(plan: SweepPlan, visits: Sequence[SweepVisit]) -> SweepTask:
    """Return the next visit, whom to confirm, or why there is nothing more to do; the same arguments, the same task.

    Visits of the confirmation are not looked at: what it measures must not choose. A visit is asked for again only
    where it ended VOID, at most twice.
    """
    record = Record(plan=plan, visits=tuple(visit for visit in visits if visit.stage is not Stage.CONFIRM))
    if BASELINE in record.failed:
        return DoneTask(why=f"the baseline did not run: {record.failed[BASELINE]}; there is nothing to compare with")
    if BASELINE not in record.measured and any(visit.key == BASELINE for visit in record.settled):
        return DoneTask(why="no visit of the baseline was valid: there is nothing to compare with")
    if BASELINE not in record.measured and not record.affords(1):
        return DoneTask(why="the budget ends before the baseline is measured")
    screening = next_screening(record)
    if screening is not None:
        return screening
    return _race(record) or choose(record)


def _race(record: Record) -> VisitTask | None:
    begun = max((visit.block for visit in record.visits if visit.stage is Stage.RACE), default=1)
    for number in range(begun, record.plan.race_blocks + 1):  # those before are complete, or there were no later ones
        block = next_block(record.before(number), number)
        if not block.order:
            return None
        left = _unsettled(record, block, number)
        if left:
            return _visit(record, left[0], number, len(left)) if record.affords(1) else None
    return None


def upcoming(record: Record) -> tuple[Candidate, ...]:
    """Return the configurations of the block that the race is in, () before and after the race."""
    task = next_task(record.plan, record.visits)
    if not isinstance(task, VisitTask) or task.stage is not Stage.RACE:
        return ()
    order = next_block(record.before(task.block), task.block).order
    return tuple(Candidate(key=key_of(cell), values=dict(cell)) for cell in order if cell and not record.why_not(cell))


def _unsettled(record: Record, block: Block, number: int) -> list[str]:
    done = {visit.key for visit in record.settled if visit.stage is Stage.RACE and visit.block == number}
    return [key for cell in block.order if (key := key_of(cell)) not in done and not (cell and record.why_not(cell))]


def _visit(record: Record, key: str, block: int, left: int) -> VisitTask:
    candidate = Candidate(key=key, values=dict(record.cell(key)))
    return VisitTask(stage=Stage.RACE, block=block, candidate=candidate, why=f"race, block {block}, {left} to go")


def visits_left(plan: SweepPlan, visits: Sequence[SweepVisit]) -> int:
    """Return how many visits screening and race may still have, at most; the confirmation is not among them."""
    record = Record(plan=plan, visits=tuple(visit for visit in visits if visit.stage is not Stage.CONFIRM))
    task = next_task(plan, visits)
    if not isinstance(task, VisitTask):
        return 0
    begun = task.block if task.stage is Stage.RACE else 1
    left = sum(_largest(plan, number) for number in range(begun, plan.race_blocks + 1))
    if task.stage is Stage.SCREEN:
        slots = [visit for visit in record.settled if visit.stage is Stage.SCREEN]
        candidates = len(plan.screened) - len({visit.key for visit in slots} - {BASELINE})
        baselines = 1 + math.ceil(len(plan.screened) / BETWEEN) - sum(visit.key == BASELINE for visit in slots)
        left += candidates + max(baselines, 0)
    else:
        left -= sum(visit.stage is Stage.RACE and visit.block == begun for visit in record.settled)
    return left if record.affordable is None else min(left, record.affordable)


def _largest(plan: SweepPlan, block: int) -> int:
    """Return how many visits a block has at most, the baseline's among them."""
    values = Counter(knob for one in plan.screened for knob in one.values)
    able = math.prod(count + 1 for count in values.values()) - 1 if plan.pairs else len(plan.screened)
    return min(most_arms(block), able) + 1
