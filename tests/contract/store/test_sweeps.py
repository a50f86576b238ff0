"""A sweep is kept before its first visit; experiments and sweeps are not mistaken for each other."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.experiments import experiment

from sparktune.errors import UnknownRun, UsageError
from sparktune.io.store.store import Store
from sparktune.model.sweep import (
    Candidate,
    Constraint,
    KnobRange,
    Pruned,
    Stage,
    SweepPlan,
    SweepState,
    SweepVisit,
    VisitEnd,
)
from sparktune.model.sweep_record import SweepRecord

_PLAN = SweepPlan(
    ranges=(KnobRange(knob="max_num_seqs", values=("4", "8"), baseline="2", raises_memory=True),),
    screened=(Candidate(key="max_num_seqs=4", values={"max_num_seqs": "4"}),),
    pruned=(Pruned(key="max_num_seqs=8", why="no memory for it", rule="memory"),),
    constraints=(Constraint(metric="ttft_s", at="most", limit=1.5),),
    budget_s=60.0,
)
_SWEEP = SweepRecord(
    id="s1",
    created_wall_s=1.8e9,
    plan=_PLAN,
    engine="vllm",
    baseline={"flags": {"--max-num-seqs": 2}},
    flags={"--max-num-seqs": "2"},
)
_UMBRELLA = replace(experiment(), id="s1", blocks=(), sweep=True)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "runs.sqlite3") as opened:
        opened.create_sweep(_SWEEP, _UMBRELLA)
        yield opened


def test_a_sweep_comes_back_as_it_was(store: Store) -> None:
    assert store.load_sweep("s1") == _SWEEP
    assert store.load_sweep("") == _SWEEP
    assert store.load_experiment("s1").sweep


def test_only_where_it_stands_changes(store: Store) -> None:
    ended = replace(_SWEEP, state=SweepState.DONE, winner="max_num_seqs=4", confirm="e2", why="it is over")
    store.set_sweep(ended)

    assert store.list_sweeps(5) == (ended,)


def test_visits_come_back_in_their_order(store: Store) -> None:
    visits = [
        SweepVisit(number=1, stage=Stage.SCREEN, block=0, key="baseline", end=VisitEnd.MEASURED, log_value=4.5),
        SweepVisit(number=2, stage=Stage.RACE, block=1, key="max_num_seqs=4", end=VisitEnd.INFEASIBLE, why="no memory"),
    ]
    for visit in reversed(visits):
        store.add_sweep_visit("s1", visit)

    assert store.sweep_visits("s1") == tuple(visits)


def test_what_holds_for_a_sweep_is_in_no_list_of_experiments(store: Store) -> None:
    store.create_experiment(replace(experiment(), id="e1", created_wall_s=1.0))

    assert [row.id for row in store.list_experiments(5)] == ["e1"]
    assert {row.id for row in store.list_experiments(5, sweeps=True)} == {"e1", "s1"}
    assert store.load_experiment("").id == "e1", "the newest experiment is none of a sweep"


def test_what_is_not_there_is_told_with_what_is(store: Store) -> None:
    with pytest.raises(UnknownRun) as error:
        store.load_sweep("x")
    assert "s1" in error.value.hint

    store.create_sweep(replace(_SWEEP, id="s2"), replace(_UMBRELLA, id="s2"))
    with pytest.raises(UsageError, match="2 sweeps begin with 's'"):
        store.load_sweep("s")
