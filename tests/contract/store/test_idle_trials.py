"""Trials of a thread in the store: read back as written, found by the beginning of their id, held until freed."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.idle_trials import plan_of, visit_of

from sparktune.errors import StoreError, UnknownRun, UsageError
from sparktune.experiment.design import Arm
from sparktune.experiment.idle_trial import HOTTEST_ZONE, Sensor
from sparktune.io.store.store import Store
from sparktune.model.experiment_row import ExperimentState

_HEAT = {HOTTEST_ZONE: (Sensor.HEAT, 57.0)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store is."""
    return tmp_path / "store.db"


def test_a_trial_is_read_back_whole(path: Path) -> None:
    trial, visits = plan_of(), (visit_of(1, 0, Arm.A, _HEAT), visit_of(1, 1, Arm.B, _HEAT, idle=None))
    with Store.open(path) as store:
        store.idle_trials.create(trial)
        store.idle_trials.set_visits(trial.id, visits)
        store.idle_trials.set_experiment(trial.id, "x1")
        store.idle_trials.end(trial.id, ExperimentState.DONE, "it was enough")

    with Store.open(path) as store:
        row = store.idle_trials.load("")

    assert (row.trial, row.visits) == (trial, visits)
    assert (row.state, row.why, row.experiment, row.held) == (ExperimentState.DONE, "it was enough", "x1", {})


def test_what_is_held_is_found_until_it_is_free(path: Path) -> None:
    with Store.open(path) as store:
        store.idle_trials.create(plan_of())
        assert store.idle_trials.holding() == ()
        store.idle_trials.remember_held("t1", {"nodes": [1]})
    with Store.open(path) as store:
        (row,) = store.idle_trials.holding()
        assert row.held == {"nodes": [1]}
        store.idle_trials.remember_held("t1", {})
        assert store.idle_trials.holding() == ()


def test_a_trial_is_found_by_the_beginning_of_its_id(path: Path) -> None:
    with Store.open(path) as store:
        with pytest.raises(UnknownRun, match="has no trial yet"):
            store.idle_trials.load("")
        for number in (1, 2):
            store.idle_trials.create(replace(plan_of(), id=f"ab{number}", created_wall_s=float(number)))

        assert store.idle_trials.load("ab1").trial.id == "ab1"
        assert store.idle_trials.load("").trial.id == "ab2"
        with pytest.raises(UsageError, match="2 trials begin with"):
            store.idle_trials.load("ab")
        with pytest.raises(UnknownRun, match="no trial 'c'"):
            store.idle_trials.load("c")
        with pytest.raises(StoreError):
            store.idle_trials.remember_held("c", {})
        with pytest.raises(StoreError):
            store.idle_trials.create(replace(plan_of(), id="ab1"))
