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
from sparktune.io.earned import earned_entry, forget_earned, keep_earned, read_earned, read_earned_file
from sparktune.io.folder_lock import folder_lock

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


@pytest.mark.parametrize("ratio", [1.393730, 1.354086, 1.39374, 0.717502])
def test_what_is_kept_rounds_as_the_verdict_did(ratio: float) -> None:
    """Seen: the verdict said -28.3 %, earned list -28.2 %: the kept ratio had been rounded before."""
    result = _won()
    assert result.judgement.effect is not None
    effect = replace(result.judgement.effect, ratio=ratio, low=ratio, high=ratio)

    kept = earned_entry(replace(result, judgement=replace(result.judgement, effect=effect)))["evidence"]["low"]

    assert f"{1 / kept - 1:.1%}" == f"{1 / ratio - 1:.1%}"
    assert f"{kept - 1:.1%}" == f"{ratio - 1:.1%}"


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
    (gone,) = read_earned_file(path).history
    assert gone.evidence.run == "e1"
    assert gone.ended is not None
    assert (gone.ended.how, gone.ended.by) == ("superseded", "e3")


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


_BY_HAND = """\
# mine
schema: 1
owner: {team: home}  # stays
settings:
  # what the house runs on
  - knob: a
    value: {env: {A: '2'}}   # two
    scope: {service: spark}
    evidence: {run: e7, date: 2026-11-01, ratio: 1.2, new_field: [1, 2]}
  # of b
  - knob: b
    value: 3
    scope: {}
# the end
notes: [x]
"""


def test_what_is_not_changed_keeps_every_line_and_comment(tmp_path: Path) -> None:
    """The file is reviewed in git: a diff must show what was earned, and nothing else."""
    path = tmp_path / "earned.yaml"
    path.write_text(_BY_HAND)
    keep_earned(path, earned_entry(_won("aa")))
    now = path.read_text().splitlines()
    assert [line for line in _BY_HAND.splitlines() if line not in now] == []
    assert [one.knob for one in read_earned(path)] == ["a", "aa", "b"]
    assert now.index("  # of b") == now.index("  - knob: b") - 1


def test_what_is_forgotten_moves_to_the_history_whole(tmp_path: Path) -> None:
    path = tmp_path / "earned.yaml"
    path.write_text(_BY_HAND)
    first, second = read_earned(path)
    forget_earned(path, first)
    found = read_earned_file(path)
    assert found.settings[0].content == second.content
    (gone,) = found.history
    assert gone.content["evidence"]["new_field"] == [1, 2]
    assert gone.ended is not None
    assert gone.ended.how == "forgotten"
    assert "  # of b\n  - knob: b\n" in path.read_text()
    with pytest.raises(UsageError, match="has changed since"):
        forget_earned(path, first)
    forget_earned(path, found.settings[0])
    assert read_earned(path) == ()
    assert len(read_earned_file(path).history) == 2
    keep_earned(path, earned_entry(_won("c")))
    assert [one.knob for one in read_earned(path)] == ["c"]


def test_an_entry_tells_where_it_stands_and_what_it_knows(tmp_path: Path) -> None:
    path = tmp_path / "earned.yaml"
    path.write_text(_BY_HAND)
    first, second = read_earned(path)
    assert (first.line, first.evidence.date, first.evidence.ratio) == (6, "2026-11-01", 1.2)
    assert (first.scope.service, first.scope.image_digest) == ("spark", None)
    assert (second.evidence.ratio, second.evidence.run) == (None, "")


def test_evidence_on_a_new_image_renews_that_on_the_old_one(tmp_path: Path) -> None:
    path, entry = tmp_path / "earned.yaml", earned_entry(_won())
    keep_earned(path, entry)
    again = {
        **entry,
        "scope": {**entry["scope"], "image_digest": "sha256:1"},
        "evidence": {**entry["evidence"], "run": "e2"},
    }
    keep_earned(path, again)
    found = read_earned_file(path)
    assert [one.evidence.run for one in found.settings] == ["e2"]
    assert [one.evidence.run for one in found.history] == ["e1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("schema: 2\nsettings: []\n", "earned.yaml:1: schema: schema 2 is newer than 1"),
        ("schema: 1\nsettings:\n- knob: [\n", "earned.yaml:4: no YAML"),
        ("schema: 1\nsettings:\n- {knob: a, scope: {service: [1]}}\n", "earned.yaml:3: settings[0].scope.service: "),
        ("schema: 1\nsettings:\n- {knob: a, scope: {}, evidence: {ratio: -1}}\n", "a number above 0"),
        ("schema: 1\nsettings:\n- {knob: a, scope: {}, evidence: {ratio: .nan}}\n", "a number above 0"),
        ("schema: 1\nsettings:\n- {knob: a, scope: {}, evidence: 3}\n", "names and their values"),
        ("schema: 1\nsettings: []\nhistory:\n- {knob: a, scope: {}, ended: {how: lost}}\n", "history[0].ended.how"),
        ("schema: 1\nsettings: {}\n", "a list of earned settings"),
        ("", "no file of earned settings"),
    ],
)
def test_what_cannot_be_understood_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "earned.yaml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        read_earned(path)
    assert said in str(caught.value)
    assert caught.value.hint


def test_a_link_is_followed_and_stays_one(tmp_path: Path) -> None:
    """A folder of settings in git, linked into the place where commands run, is a usual arrangement."""
    (tmp_path / "git").mkdir()
    (tmp_path / "here").mkdir()
    link = tmp_path / "here" / "earned.yaml"
    link.symlink_to("../git/earned.yaml")
    keep_earned(link, earned_entry(_won()))
    assert link.is_symlink()
    assert [one.knob for one in read_earned(tmp_path / "git" / "earned.yaml")] == ["parallel slots"]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be opened"):
        keep_earned(tmp_path / "gone" / "earned.yaml", earned_entry(_won()))


def test_who_waits_too_long_for_another_writer_is_told(tmp_path: Path) -> None:
    with folder_lock(tmp_path), pytest.raises(UsageError, match="another process"), folder_lock(tmp_path, patience=0.0):
        pass
