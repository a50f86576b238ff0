"""What the store keeps of experiments: enough to go on, or to bring everything back, after a kill at any moment."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest
from tests.support.experiments import experiment
from tests.support.stored import make_run

from sparktune.errors import StoreError, UnknownRun, UsageError
from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Better
from sparktune.experiment.plan import GuardMetric, VisitRecord, VisitState
from sparktune.io.store import Store
from sparktune.io.store.migrations import APPLICATION_ID
from sparktune.model.experiment_row import ExperimentState
from sparktune.model.run import RunState

PLAN = replace(
    experiment(guards=[GuardMetric(metric="ttft_s", better=Better.LOWER)]), scope={"service": "spark"}, nodes=("a",)
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.sqlite3"


def _visit(block: int = 1, attempt: int = 1, place: int = 0) -> VisitRecord:
    return VisitRecord(
        experiment_id=PLAN.id,
        block=block,
        attempt=attempt,
        place=place,
        arm=Arm.B,
        state=VisitState.RUNNING,
        started_wall_s=1.5,
    )


def test_a_plan_comes_back_as_it_was_declared(path: Path) -> None:
    """Seed, blocks, primary and rules decide what the experiment may conclude: nothing of them may change."""
    with Store.open(path) as store:
        store.create_experiment(PLAN)
    with Store.open(path) as store:
        assert store.load_experiment("e") == PLAN
        assert store.experiment_row(PLAN.id).state is ExperimentState.RUNNING


def test_an_id_is_given_once(path: Path) -> None:
    with Store.open(path) as store:
        store.create_experiment(PLAN)
        with pytest.raises(StoreError, match="already"):
            store.create_experiment(PLAN)


def test_an_unknown_experiment_is_said_with_the_nearest(path: Path) -> None:
    with Store.open(path) as store:
        with pytest.raises(UnknownRun, match="has no experiment yet"):
            store.load_experiment("")
        store.create_experiment(PLAN)
        store.create_experiment(replace(PLAN, id="e2"))
        with pytest.raises(UnknownRun) as caught:
            store.load_experiment("e3")
        with pytest.raises(UsageError, match="2 experiments"):
            store.load_experiment("e")
        assert "e2" in caught.value.hint
        assert store.load_experiment("").id == "e2"


def test_a_visit_is_replaced_by_its_later_record_and_by_no_other_attempt(path: Path) -> None:
    with Store.open(path) as store:
        store.create_experiment(PLAN)
        done = replace(_visit(), state=VisitState.DONE, run_id="r", live_after={"slots": "4"}, sensors={"a c": 50.0})
        for visit in (_visit(attempt=2), _visit(), done, _visit(block=2)):
            store.set_visit(visit)
        assert store.visits(PLAN.id) == (done, _visit(attempt=2), _visit(block=2))


def test_runs_that_are_visits_are_known_to_be_some(path: Path) -> None:
    """A visit that has no run yet, or a record that was spoilt, must hide no run of its own."""
    with Store.open(path) as store:
        for run_id in ("own", "of-a-visit"):
            store.create_run(make_run(run_id))
        store.create_experiment(PLAN)
        store.set_visit(_visit(block=1))
        store.set_visit(replace(_visit(block=2), run_id="of-a-visit"))
        store.set_visit(_visit(block=3))
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE visits SET record = 'spoilt' WHERE block = 3")

        assert [row.id for row in store.list_runs(9, own=True)] == ["own"]
        assert {row.id for row in store.list_runs(9)} == {"own", "of-a-visit"}
        assert store.count_visits() == 1


def test_what_is_held_is_there_after_the_process_is_gone(path: Path) -> None:
    with Store.open(path) as store:
        store.create_experiment(PLAN)
        assert store.held(PLAN.id) == {}
        store.remember_held(PLAN.id, {"process": {"pid": 7, "start": 8}})
    with Store.open(path) as store:
        assert store.held(PLAN.id) == {"process": {"pid": 7, "start": 8}}
        assert store.experiment_row(PLAN.id).holds
        store.remember_held(PLAN.id, {})
        assert not store.experiment_row(PLAN.id).holds
        with pytest.raises(UnknownRun):
            store.remember_held("other", {})


def test_how_it_ended_is_listed_newest_first(path: Path) -> None:
    with Store.open(path) as store:
        store.create_experiment(PLAN)
        store.create_experiment(replace(PLAN, id="e2", created_wall_s=PLAN.created_wall_s + 1))
        store.end_experiment(PLAN.id, ExperimentState.DONE, verdict="IMPROVED", why="w", deviation=0.02)
        first, second = store.list_experiments(5)
    assert (first.id, first.state) == ("e2", ExperimentState.RUNNING)
    assert (second.verdict, second.why, second.deviation) == ("IMPROVED", "w", 0.02)


def test_two_processes_do_not_work_on_one_experiment(path: Path) -> None:
    """Both would start servers at one address."""
    with Store.open(path) as store:
        with store.owned("e1"):
            with pytest.raises(StoreError, match="another process"), store.owned("e1"):
                pass
            with store.owned("e2"):
                pass
        with store.owned("e1"):
            pass
    assert not list(path.parent.glob("*.ab-*"))


def test_a_store_of_the_version_before_keeps_its_runs_and_takes_experiments(path: Path) -> None:
    connection = sqlite3.connect(path)
    folder = resources.files("sparktune.io.store") / "schema"
    for name in ("0001_runs.sql", "0002_cell_results.sql"):
        connection.executescript((folder / name).read_text())
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 2")
    connection.execute("INSERT INTO runs VALUES ('r', 1.0, 'u', 'm', 'e', 'done', 1, '{}')")
    connection.commit()
    connection.close()

    with Store.open(path) as store:
        (row,) = store.list_runs(5)
        store.create_experiment(PLAN)
        assert store.load_experiment("e1") == PLAN

    assert (row.id, row.state) == ("r", RunState.DONE)
