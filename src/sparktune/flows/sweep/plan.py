"""The plan of a sweep before its first visit: its space, what no start has to show, and what it is going to cost."""

__all__ = ["Asked", "confirming_words", "cost_lines", "planned", "planned_unseen"]

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sparktune.deploy.arm_planner import ArmPlanner
from sparktune.deploy.sweep_arms import arm_with, live_with, planner_for
from sparktune.deploy.sweep_limits import Ground
from sparktune.deploy.sweep_now import Now, now_of, view_now
from sparktune.deploy.sweep_prune import kept, pruned_of
from sparktune.deploy.sweep_space import candidates_of
from sparktune.deploy.sweep_words import with_baselines
from sparktune.errors import NotConclusive, UsageError
from sparktune.experiment.design import Arm
from sparktune.experiment.plan import Experiment
from sparktune.experiment.search import typical_visit_s, visits_left
from sparktune.flows.ab.cost import visit_s
from sparktune.flows.sweep.ground import pool_before
from sparktune.io.store.store import Store
from sparktune.io.sweep_file import SweepRequest
from sparktune.model.cell import Cell
from sparktune.model.sweep import BASELINE, Candidate, KnobRange, Pruned, SweepPlan, SweepVisit
from sparktune.model.sweep_record import SweepRecord
from sparktune.units import Bytes, Seconds, format_duration

_START_S: Seconds = 120.0
_GUESS_S: Seconds = 600.0  # of a visit: what a large model takes to start, to warm up and to be measured
_SAME = "same"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """``first`` is the experiment as it was asked for, with the baseline as both arms; ``planner`` has seen the nodes.

    ``live`` says how settings are read back, in the words of a sweep. ``engine`` is whose names the knobs have.
    ``memory`` is what the configurations have to fit into, None where that is not known. ``propose`` returns
    configurations that are screened besides, from whatever knows of good ones.
    """

    request: SweepRequest
    first: Experiment
    planner: ArmPlanner
    live: Mapping[str, Any]
    engine: str
    memory: Bytes | None = None
    propose: Callable[[SweepRecord], tuple[Candidate, ...]] | None = None


def planned(asked: Asked, store: Store) -> tuple[SweepRecord, Experiment]:
    """Return the sweep, and the experiment that holds what its visits touch.

    Raises UsageError for what cannot be set, and NotConclusive when nothing is left that is worth a start.
    """
    try:
        now = now_of(asked.planner, asked.engine, _asked_ranges(asked))
    except ValueError as error:
        message = f"the baseline cannot be set: {error}"
        raise UsageError(message, hint="mend what it names, there or in the sweep") from None
    ranges, candidates = _space(asked, now)
    record = _record(asked, now, ranges, candidates)
    if asked.propose is not None:
        candidates = (*candidates, *asked.propose(record))
        record = replace(record, plan=replace(record.plan, screened=candidates))
    pruned = _pruned(asked, record, now, store)
    record = replace(record, plan=replace(record.plan, pruned=pruned, screened=kept(candidates, pruned, ranges)))
    if not record.plan.screened:
        told = "; ".join(f"{one.key}: {one.why}" for one in pruned) or "every value is the baseline's own"
        message = f"nothing is left to try: {told}"
        raise NotConclusive(message, hint="give other values, or change the baseline")
    for one in record.plan.screened:
        _check(asked.planner, record, one)
    umbrella = _umbrella(asked, record)
    return replace(record, plan=replace(record.plan, visit_s=_visit_s(store, umbrella))), umbrella


def planned_unseen(asked: Asked, store: Store) -> tuple[SweepRecord, Experiment]:
    """Return the sweep as the request alone tells it, where nodes do not say what runs now: nothing is left out of it.

    It can be shown, and not be run. Raises UsageError for a knob that the engine, where it is known, does not have.
    """
    space = asked.request.space({})
    ranges = _asked_ranges(asked)
    candidates = candidates_of(ranges) if space is None else space.candidates
    record = _record(asked, Now(), ranges, candidates)
    for one in candidates if asked.engine else ():
        arm_with(record, asked.first.launcher, one)
    return replace(record, plan=replace(record.plan, visit_s=_visit_s(store, asked.first))), asked.first


def cost_lines(record: SweepRecord) -> tuple[str, ...]:
    """Return how many starts of the engine that is, and how long it takes as far as that is known."""
    most = visits_left(record.plan, ())
    blocks = 2 * record.confirm_blocks
    starts = f"starts of the engine: at most {most} to choose, then up to {blocks} to confirm, and one to restore"
    budget = record.plan.budget_s
    one_s = record.plan.visit_s or _GUESS_S
    choose_s = most * one_s if budget is None else min(most * one_s, budget)
    ends = "" if budget is None else f"; the budget of {format_duration(budget)} ends the choosing"
    times = f"{format_duration(choose_s)} to choose, up to {format_duration(blocks * one_s)} to confirm"
    a_visit = f"{format_duration(one_s)} a visit"
    if record.plan.visit_s is None:
        told = f"time: unknown before the first visit, and told then{ends}"
        return (starts, told, f"  a guess, at {a_visit}, as a large model takes: {times}")
    guess = f" (of it {format_duration(_START_S)} for the start, a guess)"
    return (starts, f"time: about {times}, at {a_visit}{guess}{ends}")


def confirming_words(record: SweepRecord, visits: Sequence[SweepVisit]) -> str:
    """Return what is confirmed now, and how long that takes at the pace of the visits so far."""
    most, one_s = 2 * record.confirm_blocks, typical_visit_s(record.plan, visits)
    about = "" if one_s is None else f", about {format_duration(most * one_s)}"
    return f"confirming {record.winner} against the baseline in up to {most} visits{about}"


def _space(asked: Asked, now: Now) -> tuple[tuple[KnobRange, ...], tuple[Candidate, ...]]:
    given = _asked_ranges(asked)
    ranges = tuple(_as_written(one, now) for one in with_baselines(given, now.values, asked.engine))
    space = asked.request.space({})
    if space is None:
        return ranges, candidates_of(ranges)
    known = asked.request.space({one.knob: one.baseline for one in ranges if one.baseline}) or space
    return known.ranges, known.candidates


def _asked_ranges(asked: Asked) -> tuple[KnobRange, ...]:
    space = asked.request.space({})
    return asked.request.ranges if space is None else space.ranges


def _as_written(one: KnobRange, now: Now) -> KnobRange:
    """Return a range with what runs now, where the knob is a flag or a variable by its own name."""
    kind, sign, name = one.knob.partition(":")
    named = now.flags if kind == "flag" else now.environment
    if one.baseline or not sign or name not in named:
        return one
    return replace(one, baseline=named[name] or "on")


def _record(asked: Asked, now: Now, ranges: tuple[KnobRange, ...], candidates: tuple[Candidate, ...]) -> SweepRecord:
    request, first = asked.request, asked.first
    plan = SweepPlan(
        ranges=ranges,
        screened=candidates,
        constraints=request.constraints,
        race_blocks=request.race_blocks,
        pairs=request.pairs,
        margin=first.rules.margin,
        seed=first.seed,
        budget_s=request.budget_s,
    )
    return SweepRecord(
        id=first.id,
        created_wall_s=first.created_wall_s,
        plan=plan,
        engine=asked.engine,
        baseline=first.arms[Arm.A],
        flags=now.flags,
        live=asked.live,
        confirm_blocks=request.confirm_blocks,
    )


def _pruned(asked: Asked, record: SweepRecord, now: Now, store: Store) -> tuple[Pruned, ...]:
    cells, limits = asked.first.workload.cells, asked.first.protection.limits
    ground = Ground(
        engine=asked.engine,
        values=now.values,
        facts=pool_before(store, asked.first.base_url),
        memory=asked.memory,
        concurrency=max(cell.concurrency for cell in cells),
        request_tokens=max(map(_tokens, cells)),
        floor=limits.available_floor,
    )
    same = _same(asked, record)
    others = [one for one in record.plan.screened if one.key not in {found.key for found in same}]
    return (*same, *pruned_of(others, ground, view_now(asked.planner)))


def _tokens(cell: Cell) -> int:
    return cell.total_prompt_tokens + cell.output_tokens


def _same(asked: Asked, record: SweepRecord) -> Sequence[Pruned]:
    """Return configurations that are set as another one is: nothing is measured twice under two names."""
    launcher = asked.first.launcher
    known: dict[str, str] = {repr(arm_with(record, launcher, Candidate(key=BASELINE))): "the baseline"}
    found = []
    for one in record.plan.screened:
        arm = repr(arm_with(record, launcher, one))
        if arm in known:
            found.append(Pruned(key=one.key, why=f"it is set as {known[arm]} is", rule=_SAME))
        known.setdefault(arm, one.key)
    return found


def _check(planner: ArmPlanner, record: SweepRecord, one: Candidate) -> None:
    try:
        plan = planner_for(planner, record, one).plan(Arm.B.value)
    except ValueError as error:
        message = f"{one.key} cannot be set: {error}"
        raise UsageError(message, hint="mend what it names, or leave that value out") from None
    if plan.takes == "reboot":
        message = f"{one.key} counts at a boot only, and a sweep boots nothing"
        raise UsageError(message, hint="compare two settings with: sparktune ab --allow-reboot")


def _umbrella(asked: Asked, record: SweepRecord) -> Experiment:
    first, one = asked.first, record.plan.screened[0]
    quality = first.quality
    return replace(
        first,
        name=first.name,
        knob=", ".join(item.knob for item in record.plan.ranges),
        arms={Arm.A: first.arms[Arm.A], Arm.B: arm_with(record, first.launcher, one)},
        live=live_with(record, one),
        blocks=(),
        aa=False,
        quality=replace(quality, every="visit") if quality is not None else None,
        sweep=True,
    )


def _visit_s(store: Store, umbrella: Experiment) -> Seconds | None:
    measuring = visit_s(store, umbrella)
    return None if measuring is None else measuring + _START_S
