"""What the visits themselves say against an experiment: an arm that was not live, and cells that are not valid.

A comparison is void when something was wrong with *what was compared*: a cache answered (V01, V02, V03), the work was
not the same (V06), requests failed (V19), the streams were not understood (V21). Failed requests are never an accident:
slow ones are the ones that fail.

Of *how a visit went*, three checks can be tripped by one wave alone, in whichever arm, and the median over three
trials or more holds against that: so one visit with it is a warning. A step of the client's clock (V14) or a request
of others (V20) in a second visit is no accident any more. A slow first wave (V10) is told from noise by very few
trials: of 200 visits on a busy machine 43 had one by chance alone (``benchmarks/aa.py``). It voids when
four of five visits of an arm have it, and three at least, since then the arm starts cold, and the wave after the first
may be cold, too: with 22 % by chance that happens to 3 % of experiments; by half of the visits it would be 16 %.
With fewer than three trials there is no median that would hold.
"""

__all__ = ["cell_checks", "live_checks", "softened", "visit_checks"]

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sparktune.experiment.answering import answering_checks
from sparktune.experiment.design import Arm
from sparktune.experiment.lasting import UNREAD, lasting
from sparktune.experiment.plan import Experiment, VisitRecord, VisitState
from sparktune.experiment.result import MeasuredVisit
from sparktune.model.check import CheckResult, Status

ONE_WAVE = frozenset({"V10", "V14", "V20"})
"""Checks of cells that one wave alone can trip."""

_COLD_START = "V10"
_HOLDING_TRIALS = 3
_ONE_KNOB, _DRIFT = "V09", "V18"
_REPEATED, _OFTEN = 2, 3
_MOSTLY = 0.8

Found = tuple[VisitRecord, str, CheckResult]


def visit_checks(experiment: Experiment, visits: Sequence[MeasuredVisit]) -> tuple[CheckResult, ...]:
    """Return all that the visits say against an experiment; an id may be there more than once."""
    return (*live_checks(visits), *answering_checks(experiment, visits), *cell_checks(experiment, visits))


def live_checks(visits: Sequence[MeasuredVisit]) -> tuple[CheckResult, ...]:
    """Return what was wrong with the settings: V09 for an arm that was not live, V18 for one that changed."""
    records = [visit.record for visit in visits]
    found = [_refused(record) for record in records if record.state is VisitState.REFUSED]
    found += [_changed(record) for record in records if _drifted(record)]
    return (*found[:1], *_between(records)) if found else _between(records)


def cell_checks(experiment: Experiment, visits: Sequence[MeasuredVisit]) -> tuple[CheckResult, ...]:
    """Return one result per check of cells, over all finished visits: INVALID by the policy of this module."""
    done = [visit for visit in visits if visit.record.state is VisitState.DONE and visit.result is not None]
    found: dict[str, list[Found]] = {}
    for visit in done:
        for row in visit.result.cells if visit.result is not None else ():
            for check in row.checks:
                found.setdefault(check.id, []).append((visit.record, row.cell.label, check))
    return tuple(_over_visits(experiment, [visit.record for visit in done], found[name]) for name in sorted(found))


def softened(check: CheckResult, voiding: frozenset[str]) -> CheckResult:
    """Return a cell's check as rules of tables should see it: one that voids nothing here is a warning."""
    if check.status is Status.INVALID and check.id not in voiding:
        return replace(check, status=Status.WARN)
    return check


def _over_visits(experiment: Experiment, done: Sequence[VisitRecord], found: Sequence[Found]) -> CheckResult:
    """Return the most severe answer of a check, with where it was given first."""
    invalid = [one for one in found if one[2].status is Status.INVALID]
    if invalid:
        return _judged(experiment, done, invalid)
    for status in (Status.WARN, Status.UNKNOWN):
        places = [one for one in found if one[2].status is status]
        if places:
            return _placed(places)
    check = found[0][2]
    return replace(check, evidence=f"ok in {len(found)} cells of {len(_visits(found))} visits", hint="", label="")


def _judged(experiment: Experiment, done: Sequence[VisitRecord], places: Sequence[Found]) -> CheckResult:
    check = places[0][2]
    voids = check.id not in ONE_WAVE or experiment.workload.trials < _HOLDING_TRIALS
    if voids or (_mostly(done, places) if check.id == _COLD_START else len(_visits(places)) >= _REPEATED):
        return _placed(places)
    placed = _placed(places)
    evidence = f"{placed.evidence}; the median over {experiment.workload.trials} trials holds against single waves"
    return replace(placed, status=Status.WARN, evidence=evidence)


def _mostly(done: Sequence[VisitRecord], places: Sequence[Found]) -> bool:
    """Tell whether four of five visits of an arm are there, and at least three."""
    for arm in Arm:
        all_visits = sum(record.arm is arm for record in done)
        there = len(_visits([one for one in places if one[0].arm is arm]))
        if there >= _OFTEN and there >= _MOSTLY * all_visits:
            return True
    return False


def _placed(places: Sequence[Found]) -> CheckResult:
    record, label, check = places[0]
    visits = len(_visits(places))
    more = f" (and in {visits - 1} more visits)" if visits > 1 else ""
    return replace(check, evidence=f"{_name(record)}, {label}: {check.evidence}{more}")


def _visits(places: Sequence[Found]) -> set[tuple[int, int, int]]:
    return {(record.block, record.attempt, record.place) for record, _, _ in places}


def _refused(record: VisitRecord) -> CheckResult:
    return CheckResult(
        id=_ONE_KNOB,
        status=Status.INVALID,
        evidence=f"{_name(record)} was not live: {record.why}",
        hint="look at why the setting did not take effect; nothing was measured with it",
    )


def _drifted(record: VisitRecord) -> bool:
    return bool(record.live_after) and record.live_after != record.live_before


def _changed(record: VisitRecord) -> CheckResult:
    before, after = record.live_before, record.live_after
    unread = [name for name in before if after.get(name, UNREAD) == UNREAD]
    if unread and all(before.get(name) == value for name, value in after.items() if name not in unread):
        return CheckResult(
            id=_DRIFT,
            status=Status.INVALID,
            evidence=f"{_name(record)}: {', '.join(unread)} could not be read after the trials",
            hint="whether the setting was still there is not known; find out why it does not answer, and measure again",
        )
    return CheckResult(
        id=_DRIFT,
        status=Status.INVALID,
        evidence=f"{_name(record)}: {_differences(before, after)} during the visit",
        hint="something else changes this setting; find it before measuring again",
    )


def _between(records: Sequence[VisitRecord]) -> tuple[CheckResult, ...]:
    """Compare what was read back of one arm from visit to visit."""
    for arm in Arm:
        done = [record for record in records if record.arm is arm and record.state is VisitState.DONE]
        for record in done[1:]:
            first, now = lasting(done[0].live_before), lasting(record.live_before)
            if first != now:
                changed = _differences(first, now)
                evidence = f"arm {arm.value}: {changed} from block {done[0].block} to block {record.block}"
                hint = "the arm was not the same in all its visits; find what changes it"
                return (CheckResult(id=_DRIFT, status=Status.INVALID, evidence=evidence, hint=hint),)
    return ()


def _differences(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    names = [name for name in dict.fromkeys((*before, *after)) if before.get(name) != after.get(name)]
    told = (f"{name} went from {before.get(name, UNREAD)} to {after.get(name, UNREAD)}" for name in names)
    return "; ".join(told)


def _name(record: VisitRecord) -> str:
    return f"block {record.block}, arm {record.arm.value}"
