"""earned.yaml: what an experiment earned, in a form that git shows well and people may edit."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from tests.support.experiments import CELLS, experiment, visit

from sparktune.errors import UsageError
from sparktune.experiment.conclude import conclude
from sparktune.experiment.design import Arm
from sparktune.experiment.result import ExperimentResult
from sparktune.io.earned import earned_entry, keep_earned

ONE = CELLS[0]


def _won(knob: str = "parallel slots", run: str = "e1") -> ExperimentResult:
    plan = replace(experiment(cells=[ONE]), knob=knob, id=run, scope={"service": "spark"}, nodes=("a", "b"))
    visits = [
        visit(number, arm, {ONE: {"output_tok_s": [120.0 + number if arm is Arm.B else 100.0] * 3}}, place=place)
        for number in (1, 2, 3)
        for place, arm in enumerate(Arm)
    ]
    draw = random.Random(1)
    return conclude(plan, visits, (), {}, lambda: draw.gauss(0, 1))


def test_an_entry_has_value_scope_and_evidence() -> None:
    entry = earned_entry(_won())
    assert entry["value"] == {"command": ["serve", "4"]}
    assert entry["instead_of"] == {"command": ["serve", "1"]}
    assert entry["scope"]["service"] == "spark"
    assert entry["scope"]["cluster"] == "a, b"
    assert entry["scope"]["image_digest"] is None
    assert entry["evidence"]["run"] == "e1"
    assert entry["evidence"]["ratio"] == pytest.approx(1.22, abs=1e-3)
    assert entry["evidence"]["low"] > 1
    assert entry["evidence"]["date"] == "2023-11-14"


def test_the_hash_is_that_of_the_workload_and_not_of_how_often_it_was_sent() -> None:
    first, result = earned_entry(_won()), _won()
    plan = result.experiment
    often = replace(result, experiment=replace(plan, workload=replace(plan.workload, trials=9)))
    other = replace(result, experiment=replace(plan, workload=replace(plan.workload, cells=CELLS)))
    assert earned_entry(often)["scope"] == first["scope"]
    assert earned_entry(other)["scope"] != first["scope"]


def test_entries_are_sorted_and_a_later_experiment_replaces_the_earlier(tmp_path: Path) -> None:
    path = tmp_path / "earned.yaml"
    for knob, run in (("z", "e1"), ("a", "e2"), ("z", "e3")):
        keep_earned(path, earned_entry(_won(knob, run)))
    settings = YAML(typ="safe").load(path)["settings"]
    assert [(one["knob"], one["evidence"]["run"]) for one in settings] == [("a", "e2"), ("z", "e3")]
    again = path.read_text()
    keep_earned(path, earned_entry(_won("z", "e3")))
    assert path.read_text() == again


def test_what_somebody_added_by_hand_stays(tmp_path: Path) -> None:
    path = tmp_path / "earned.yaml"
    path.write_text("schema: 1\nsettings:\n- {knob: mine, value: 3, scope: {}, note: by hand}\n")
    keep_earned(path, earned_entry(_won()))
    settings = YAML(typ="safe").load(path)["settings"]
    assert {"knob": "mine", "value": 3, "scope": {}, "note": "by hand"} in settings


@pytest.mark.parametrize("text", ["a: 1\n", "schema: 2\nsettings: []\n", "schema: 1\nsettings: [3]\n", "[1]\n"])
def test_a_file_of_another_form_is_refused_and_not_touched(tmp_path: Path, text: str) -> None:
    path = tmp_path / "earned.yaml"
    path.write_text(text)
    with pytest.raises(UsageError, match="earned"):
        keep_earned(path, earned_entry(_won()))
    assert path.read_text() == text


def test_nothing_is_earned_without_an_effect() -> None:
    result = _won()
    with pytest.raises(ValueError, match="no effect"):
        earned_entry(replace(result, judgement=replace(result.judgement, effect=None)))
