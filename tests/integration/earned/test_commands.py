"""``sparktune earned`` as a person types it."""

from pathlib import Path

import pytest
from tests.support.cli import run_sparktune
from tests.support.stored_experiment import store_experiment

from sparktune.io.earned import read_earned, read_earned_file
from sparktune.io.store import Store

_TEXT = """\
# ours
schema: 1
settings:
# what the house runs on
- knob: DSPARK_MAX_INFLIGHT_PREFILLS
  value: {env: {DSPARK_MAX_INFLIGHT_PREFILLS: '2'}}
  instead_of: {env: {DSPARK_MAX_INFLIGHT_PREFILLS: '1'}}
  scope: {service: spark, launcher: compose, model: m, workload: ab12}
  evidence: {run: e1, date: 2026-10-01, metric: ttft_max_s, better: lower, ratio: 1.2, low: 1.1, high: 1.3}
"""


@pytest.fixture
def earned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "earned.yaml"
    path.write_text(_TEXT)
    return path


def test_what_sparktune_yaml_says_of_the_service_makes_evidence_stale(earned: Path) -> None:
    earned.with_name("sparktune.yaml").write_text(
        "services: {spark: {endpoint: 'http://127.0.0.1:1/v1', model: n, launcher: systemd}}\n"
    )
    done = run_sparktune("earned", "list", "--json")
    (told,) = done.json["settings"]
    assert told["state"] == "stale"
    assert told["stale"] == ["the model was m then, and is n now", "the launcher was compose then, and is systemd now"]
    assert "sparktune ab --service spark" in told["renew"]


def test_the_file_beside_sparktune_yaml_is_found_from_below(earned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    earned.with_name("sparktune.yaml").write_text("nodes: []\n")
    (earned.parent / "below").mkdir()
    monkeypatch.chdir(earned.parent / "below")
    assert "DSPARK_MAX_INFLIGHT_PREFILLS: DSPARK" in run_sparktune("earned", "show", "e1").out


def test_forgetting_asks_and_nothing_is_lost(earned: Path) -> None:
    refused = run_sparktune("earned", "forget", "--dspark-max-inflight-prefills")
    assert (refused.code, "--yes" in refused.err) == (2, True)
    assert earned.read_text() == _TEXT
    assert run_sparktune("earned", "forget", "--dspark-max-inflight-prefills", "--yes").code == 0
    found = read_earned_file(earned)
    assert (len(found.settings), len(found.history)) == (0, 1)
    assert run_sparktune("earned", "history", "--json").json["history"][0]["ended"]["how"] == "forgotten"
    assert run_sparktune("earned", "list").code == 0


def test_a_key_that_several_have_is_not_guessed(earned: Path) -> None:
    again = _TEXT.split("settings:\n")[1].replace("ab12", "cd34").replace("run: e1", "run: e2")
    earned.write_text(_TEXT + again)
    done = run_sparktune("earned", "forget", "DSPARK_MAX_INFLIGHT_PREFILLS", "--yes")
    assert done.code == 2
    assert "e1, e2" in done.err
    assert run_sparktune("earned", "forget", "e2", "--yes").code == 0
    assert [one.evidence.run for one in read_earned(earned)] == ["e1"]


def test_what_did_not_improve_is_not_accepted(earned: Path) -> None:
    """The rules are those of ab: also weeks later nobody can keep what was not shown."""
    with Store.open() as store:
        plan = store_experiment(store)
    done = run_sparktune("earned", "accept", plan.id)
    assert done.code == 5
    assert "earned nothing: " in done.err
    assert earned.read_text() == _TEXT
    (told,) = run_sparktune("earned", "history", "parallel slots", "--json").json["experiments"]
    assert (told["run"], told["kept"]) == (plan.id, False)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("show", "DSPARK_MAX_INFLIGHT_PREFIL"), 2, "did you mean DSPARK_MAX_INFLIGHT_PREFILLS"),
        (("accept", "nothing-like-it"), 1, "no experiment"),
        (("list", "--earned", "/nowhere/earned.yaml"), 0, "nothing is earned in /nowhere/earned.yaml"),
    ],
)
def test_what_is_not_there_is_told_with_a_next_step(earned: Path, words: tuple[str, ...], code: int, said: str) -> None:
    done = run_sparktune("earned", *words)
    assert (done.code, said in done.err, done.out) == (code, True, "")
    assert "hint: " in done.err
    assert earned.exists()
