"""The first stage: every candidate once, one knob moved in each, and the baseline again and again between them."""

__all__ = ["next_screening", "observations", "why_not_screened"]

from collections.abc import Sequence
from itertools import pairwise

from sparktune.experiment.search.draws import draws, shuffled
from sparktune.experiment.search.fit import Observation
from sparktune.experiment.search.record import Record, cell_of
from sparktune.model.sweep import BASELINE, Candidate, Stage, SweepPlan, SweepVisit, VisitEnd, VisitTask

BETWEEN = 2
"""So many candidates are visited between two visits of the baseline: it is every third visit."""

_ORDER = 1  # the purpose of these random numbers


def _screening_order(plan: SweepPlan) -> tuple[Candidate, ...]:
    """Return the candidates in random order, but those that raise memory upwards, each chain in its own places."""
    after = {one.key: one.after for one in plan.screened}
    order = shuffled(plan.screened, draws(plan.seed, _ORDER))
    chains: dict[str, list[int]] = {}
    for place, one in enumerate(order):
        chains.setdefault(_steps(one.key, after)[-1], []).append(place)
    for places in chains.values():
        upwards = sorted((order[place] for place in places), key=lambda one: len(_steps(one.key, after)))
        for place, one in zip(places, upwards, strict=True):
            order[place] = one
    return tuple(order)


def why_not_screened(record: Record, candidate: Candidate) -> str:
    """Return why a candidate is not visited, "" if it may be: what is below it has to have run."""
    below = candidate.after
    if below not in {one.key for one in record.plan.screened} or below in record.measured:
        return record.why_not(cell_of(candidate)) if candidate.key not in record.failed else ""
    if below in record.failed:
        return f"not tried: {below} did not run: {record.failed[below]}"
    if any(visit.key == below for visit in record.settled):
        return f"not tried: whether {below} runs is unknown"
    blocked = next(one for one in record.plan.screened if one.key == below)
    return why_not_screened(record, blocked)


def next_screening(record: Record) -> VisitTask | None:
    """Return the next visit of screening, None when it is over or the budget has no room for more of it."""
    slots = [visit for visit in record.settled if visit.stage is Stage.SCREEN]
    if not slots:
        return _visit(Candidate(key=BASELINE), "the baseline comes first: everything is compared with it")
    tried = {visit.key for visit in slots}
    waiting = [
        one
        for one in _screening_order(record.plan)
        if one.key not in tried and not why_not_screened(record, one) and _turn(record, one)
    ]
    since = _since_baseline(slots)
    if waiting and len(since) < BETWEEN and record.affords(2):
        return _visit(waiting[0], f"screening, {len(waiting)} to go: one knob is moved")
    if any(visit.end is VisitEnd.MEASURED for visit in since) and record.affords(1):
        return _visit(Candidate(key=BASELINE), "the baseline again: what the machine's drift does must be known")
    if waiting and since and record.affords(2):  # nothing was measured since: the baseline can wait
        return _visit(waiting[0], f"screening, {len(waiting)} to go: one knob is moved")
    return None


def observations(record: Record) -> tuple[tuple[Observation, ...], tuple[float, ...]]:
    """Return all measured visits for the model, and the gaps between the knots of the drift.

    A screened visit lies between the two visits of the baseline around it, by time; a block of the race is one knot.
    """
    clock = _clock(record.visits)
    screened = [visit for visit in record.visits if visit.stage is Stage.SCREEN and visit.log_value is not None]
    knots = [visit for visit in screened if visit.key == BASELINE]
    times = [clock[visit.number] for visit in knots]
    found = [
        Observation(record.cell(visit.key), value, _between(clock[visit.number], times))
        for visit in screened
        if (value := visit.log_value) is not None
    ]
    places = [float(visit.number) for visit in knots]
    blocks: dict[int, int] = {}
    for visit in record.visits:
        if visit.stage is Stage.RACE and visit.log_value is not None:
            if visit.block not in blocks:
                blocks[visit.block] = len(places)
                places.append(float(visit.number))
            cell = record.cell(visit.key)
            found.append(Observation(cell, visit.log_value, ((blocks[visit.block], 1.0),)))
    return tuple(found), (0.0, *(later - earlier for earlier, later in pairwise(places)))


def _visit(candidate: Candidate, why: str) -> VisitTask:
    return VisitTask(stage=Stage.SCREEN, block=0, candidate=candidate, why=why)


def _turn(record: Record, candidate: Candidate) -> bool:
    """Tell whether what is below a candidate has run already."""
    listed = {one.key for one in record.plan.screened}
    return candidate.after not in listed or candidate.after in record.measured


def _since_baseline(slots: Sequence[SweepVisit]) -> Sequence[SweepVisit]:
    last = max(place for place, visit in enumerate(slots) if visit.key == BASELINE)
    return slots[last + 1 :]


def _steps(key: str, after: dict[str, str]) -> list[str]:
    """Return the key and those below it, down to the one that needs none."""
    found = [key]
    while after.get(found[-1]) in after and after[found[-1]] not in found:
        found.append(after[found[-1]])
    return found


def _clock(visits: Sequence[SweepVisit]) -> dict[int, float]:
    """Return the middle of each visit in seconds of visiting; in visits where none says how long it took."""
    if not any(visit.took_s for visit in visits):
        return {visit.number: float(visit.number) for visit in visits}
    found, passed = {}, 0.0
    for visit in visits:
        found[visit.number] = passed + visit.took_s / 2
        passed += visit.took_s
    return found


def _between(time: float, knots: Sequence[float]) -> tuple[tuple[int, float], ...]:
    later = next((place for place, knot in enumerate(knots) if knot >= time), None)
    if later is None:
        return ((len(knots) - 1, 1.0),)
    if later == 0 or knots[later] == time:
        return ((later, 1.0),)
    share = (time - knots[later - 1]) / (knots[later] - knots[later - 1])
    return ((later - 1, 1 - share), (later, share))
