"""The rules that no sweep breaks, whatever its landscape and its machine: each broken one costs hours or a host."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.landscapes import KINDS, Landscape, Machine, landscape, visited
from tests.support.virtual import WORLDS

from sparktune.experiment.search import estimates, next_task, visits_left
from sparktune.model.sweep import (
    BASELINE,
    ConfirmTask,
    Constraint,
    DoneTask,
    Stage,
    Standing,
    SweepPlan,
    SweepTask,
    SweepVisit,
    VisitEnd,
    VisitTask,
)

_MISHAPS = (VisitEnd.VOID, VisitEnd.STOPPED, VisitEnd.REFUSED, VisitEnd.INFEASIBLE)


def _carried_out(
    ground: Landscape, plan: SweepPlan, seed: int, mishaps: float
) -> tuple[SweepTask, list[SweepVisit], list[int]]:
    """Return the last task, the visits, and how many visits were said to be left before each."""
    draw = random.Random(seed)
    machine = Machine(WORLDS["base"], draw)
    visits: list[SweepVisit] = []
    left = [visits_left(plan, visits)]
    while isinstance(task := next_task(plan, visits), VisitTask):
        visit = visited(ground, machine, task, len(visits) + 1)
        if draw.random() < mishaps and task.candidate.key != BASELINE:
            visit = replace(visit, end=draw.choice(_MISHAPS), log_value=None, why="a mishap")
        elif draw.random() < mishaps:
            visit = replace(visit, end=VisitEnd.VOID, log_value=None, why="a neighbour")
        visits.append(visit)
        left.append(visits_left(plan, visits))
        assert len(visits) < 150, "a sweep ends"
    return task, visits, left


@st.composite
def _sweeps(draw: st.DrawFn) -> tuple[Landscape, SweepPlan, SweepTask, list[SweepVisit], list[int]]:
    seed = draw(st.integers(0, 10_000))
    ground = landscape(draw(st.sampled_from(sorted(KINDS))), random.Random(seed))
    plan = ground.plan(
        seed,
        race_blocks=draw(st.integers(0, 4)),
        pairs=draw(st.booleans()),
        budget_s=draw(st.sampled_from([None, 100.0, 3600.0, 8000.0])),
        visit_s=draw(st.sampled_from([60.0, 360.0, 900.0])),
    )
    return ground, plan, *_carried_out(ground, plan, seed, draw(st.sampled_from([0.0, 0.15, 0.5])))


@settings(max_examples=40, deadline=None)
@given(_sweeps())
def test_no_sweep_breaks_a_rule(
    sweep: tuple[Landscape, SweepPlan, SweepTask, list[SweepVisit], list[int]],
) -> None:
    _, plan, last, visits, left = sweep
    _nothing_is_visited_twice(visits)
    _what_did_not_run_is_not_tried_again(plan, visits)
    _memory_goes_upwards(plan, visits)
    assert max((visit.block for visit in visits), default=0) <= plan.race_blocks
    assert not isinstance(last, VisitTask)
    assert left[-1] == 0
    if plan.budget_s is not None:
        took = [visit.took_s for visit in visits]
        assert not visits or sum(took[:-1]) <= plan.budget_s, "no visit begins when the budget is gone"
    elif not any(visit.end is VisitEnd.VOID for visit in visits):
        assert len(visits) <= left[0]
    assert next_task(plan, tuple(visits)) == last, "the same arguments, the same task"
    known = estimates(plan, visits)
    assert [one.candidate.key for one in known[: len(plan.screened) + 1]] == [
        BASELINE,
        *(one.key for one in plan.screened),
    ]
    assert {visit.key for visit in visits} <= {one.candidate.key for one in known}
    chosen = [one.candidate.key for one in known if one.standing is Standing.CHOSEN]
    assert chosen == ([] if isinstance(last, DoneTask) else [last.candidate.key])
    assert not any(one.standing is Standing.WAITING for one in known)


def _nothing_is_visited_twice(visits: Sequence[SweepVisit]) -> None:
    """But void ones, at most twice more; and the baseline between those that are screened."""
    ended = Counter(
        (visit.key, visit.stage, visit.block)
        for visit in visits
        if visit.end is not VisitEnd.VOID and (visit.key, visit.stage) != (BASELINE, Stage.SCREEN)
    )
    assert all(count == 1 for count in ended.values())
    begun = Counter((visit.key, visit.stage, visit.block) for visit in visits if visit.key != BASELINE)
    assert all(count <= 3 for count in begun.values())


def _what_did_not_run_is_not_tried_again(plan: SweepPlan, visits: Sequence[SweepVisit]) -> None:
    """Neither itself, nor anything that holds all of its values: each try may cost the host."""
    failed: list[dict[str, str]] = []
    for visit in visits:
        values = dict(part.split("=") for part in visit.key.split()) if visit.key != BASELINE else {}
        assert not any(part.items() <= values.items() for part in failed)
        if visit.end in {VisitEnd.INFEASIBLE, VisitEnd.STOPPED, VisitEnd.REFUSED}:
            failed.append(values)
    assert all(values for values in failed), "the baseline did not fail here"
    assert not {visit.key for visit in visits} & {one.key for one in plan.pruned}


def _memory_goes_upwards(plan: SweepPlan, visits: Sequence[SweepVisit]) -> None:
    ran: set[str] = set()
    after = {one.key: one.after for one in plan.screened}
    for visit in visits:
        assert not after.get(visit.key) or after[visit.key] in ran
        if visit.end is VisitEnd.MEASURED:
            ran.add(visit.key)


@pytest.mark.parametrize("seed", range(3))
def test_a_killed_sweep_goes_on_where_it_was(seed: int) -> None:
    """State is the plan and the visits: every beginning of a sweep asks for what the whole one did next."""
    ground = landscape("corners", random.Random(seed))
    plan = ground.plan(seed)
    _, visits, _ = _carried_out(ground, plan, seed, 0.1)
    for cut in range(len(visits)):
        task = next_task(plan, list(visits[:cut]))
        assert isinstance(task, VisitTask)
        following = visits[cut]
        assert (task.stage, task.block, task.candidate.key) == (following.stage, following.block, following.key)


def test_the_baseline_is_first_every_third_and_last() -> None:
    ground = landscape("additive", random.Random(1), (4, 3, 3))
    _, visits, _ = _carried_out(ground, ground.plan(1), 1, 0.0)
    screened = [visit.key == BASELINE for visit in visits if visit.stage is Stage.SCREEN]
    assert screened == [True, False, False] * 3 + [True, False, True]


def test_blocks_have_the_baseline_and_random_orders() -> None:
    ground = landscape("additive", random.Random(2))
    orders = set()
    for seed in range(20):
        _, visits, _ = _carried_out(ground, ground.plan(seed), 7, 0.0)
        block = [visit.key for visit in visits if visit.block == 1]
        assert block.count(BASELINE) == 1
        orders.add(block.index(BASELINE))
    assert len(orders) > 3


def test_more_memory_than_what_did_not_start_is_not_tried_together_either() -> None:
    for seed in range(12):
        ground = landscape("corners", random.Random(seed), (4, 4, 3))
        _, visits, _ = _carried_out(ground, ground.plan(seed), seed, 0.0)
        failed: list[tuple[int, ...]] = []
        for visit in visits:
            point = _point(ground, visit.key)
            assert not any(
                all(
                    not low or (have >= low if knob in ground.memory else have == low)
                    for knob, (low, have) in enumerate(zip(part, point, strict=True))
                )
                for part in failed
            )
            failed += [_memory_alone(ground, point)] if visit.end is VisitEnd.INFEASIBLE else []


def _memory_alone(ground: Landscape, point: tuple[int, ...]) -> tuple[int, ...]:
    """Where two knobs that raise memory met, the others had no part in it."""
    met = all(point[knob] for knob in ground.memory)
    return tuple(place if knob in ground.memory or not met else 0 for knob, place in enumerate(point))


def _point(ground: Landscape, key: str) -> tuple[int, ...]:
    values = dict(part.split("=") for part in key.split()) if key != BASELINE else {}
    return tuple(int(values.get(f"k{knob}", "0")) for knob in range(len(ground.sizes)))


def test_a_baseline_that_does_not_run_ends_the_search() -> None:
    plan = landscape("additive", random.Random(3)).plan(3)
    dead = SweepVisit(
        number=1, stage=Stage.SCREEN, block=0, key=BASELINE, end=VisitEnd.INFEASIBLE, why="port 8000 is taken"
    )
    assert next_task(plan, [dead]) == DoneTask(
        why="the baseline did not run: port 8000 is taken; there is nothing to compare with"
    )


def test_a_baseline_that_is_never_valid_ends_the_search() -> None:
    plan = landscape("additive", random.Random(3)).plan(3)
    visits: list[SweepVisit] = []
    while isinstance(task := next_task(plan, visits), VisitTask) and len(visits) < 100:
        visits.append(
            SweepVisit(
                number=len(visits) + 1, stage=task.stage, block=task.block, key=task.candidate.key, end=VisitEnd.VOID
            )
        )
    assert isinstance(task, DoneTask)
    assert task.why == "no visit of the baseline was valid: there is nothing to compare with"
    assert len(visits) == 3, "without a baseline nothing else is worth a visit"


def test_a_budget_shorter_than_a_visit_begins_none() -> None:
    plan = landscape("additive", random.Random(3)).plan(3, budget_s=300.0, visit_s=600.0)
    assert next_task(plan, []) == DoneTask(why="the budget ends before the baseline is measured")
    assert visits_left(plan, []) == 0


def test_a_budget_is_no_budget_of_guesses() -> None:
    """While nothing tells what a visit takes, the first one is made: five minutes are ten visits of a small server."""
    plan = landscape("additive", random.Random(3)).plan(3, budget_s=300.0, visit_s=None)
    task = next_task(plan, [])
    assert isinstance(task, VisitTask)
    assert visits_left(plan, []) > 1
    first = SweepVisit(
        number=1, stage=Stage.SCREEN, block=0, key=task.candidate.key, end=VisitEnd.MEASURED, log_value=1.0, took_s=30.0
    )
    assert visits_left(plan, [first]) == 9
    over = next_task(plan, [replace(first, took_s=301.0)])
    assert over == DoneTask(why=f"the budget was used up before any of {len(plan.screened)} candidates was measured")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"race_blocks": 0}, "no race: none was asked for"),
        ({"budget_s": 1e9}, "after race"),
    ],
)
def test_why_there_was_no_race_is_the_true_reason(changes: dict[str, Any], words: str) -> None:
    ground = landscape("additive", random.Random(4), (3, 3, 3))
    plan, machine = ground.plan(4, **changes), Machine(WORLDS["quiet"], random.Random(4))
    visits: list[SweepVisit] = []
    while isinstance(task := next_task(plan, visits), VisitTask):
        visits.append(visited(ground, machine, task, len(visits) + 1))
    assert isinstance(task, ConfirmTask)
    assert words in task.why


def test_what_breaks_a_constraint_is_neither_chosen_nor_combined() -> None:
    """The fastest setting that lets people wait too long is not the answer."""
    ground = landscape("additive", random.Random(4), (3, 3, 3))
    plan = ground.plan(4, constraints=(Constraint(metric="ttft_max_s", at="most", limit=2.0),))
    machine = Machine(WORLDS["quiet"], random.Random(4))
    visits: list[SweepVisit] = []
    while isinstance(task := next_task(plan, visits), VisitTask):
        slow = task.candidate.values.get("k0") == "1"
        visit = visited(ground, machine, task, len(visits) + 1)
        visits.append(replace(visit, metrics={"ttft_max_s": 3.0 if slow else 1.0}))
    unfit = [one for one in estimates(plan, visits) if one.standing is Standing.UNFIT]
    assert [one.candidate.key for one in unfit] == ["k0=1"]
    assert unfit[0].why == "ttft_max_s 3, at most 2 wanted"
    assert not any("k0=1" in visit.key for visit in visits if visit.stage is Stage.RACE)


def test_a_limit_on_what_nobody_measured_is_not_kept() -> None:
    ground = landscape("additive", random.Random(5), (3, 3, 3))
    plan = ground.plan(5, constraints=(Constraint(metric="memory_bytes", at="least", limit=1.0),))
    last, visits, _ = _carried_out(ground, plan, 5, 0.0)
    assert isinstance(last, DoneTask)
    assert last.why == "none of 6 measured candidates is within the constraints"
    assert {visit.stage for visit in visits} == {Stage.SCREEN}
