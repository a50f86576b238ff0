"""Records that this version does not understand: a list names them with what to do, and shows all others.

People update one machine before the other, and go back to an older version. One record of the newer one must not hide
a hundred others, and none may vanish without a word: what is missing from a list would be taken for never measured.
"""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune
from tests.support.experiments import experiment
from tests.support.in_process import invoke
from tests.support.stored import make_run
from tests.support.swept import won

from sparktune.errors import StoreError
from sparktune.experiment.plan import Experiment
from sparktune.io.store import Store
from sparktune.model.sweep import SweepState

_PLACES = {
    "sweep": "UPDATE sweeps SET record = json_set(record, '$.state', 'paused') WHERE id = ?",
    "sweep's experiment": "UPDATE experiments SET record = json_set(record, '$.blocks', 7) WHERE id = ?",
    "experiment": "UPDATE experiments SET state = 'paused' WHERE id = ?",
    "run": "UPDATE runs SET state = 'paused' WHERE id = ?",
}
_COMMANDS = {"sweep": "sweep", "sweep's experiment": "sweep", "experiment": "ab", "run": "runs"}
_STATUS = "services: {chat: {endpoint: 'http://127.0.0.1:1/v1'}}\n"


def _umbrella(sweep: str) -> Experiment:
    return replace(experiment(), id=sweep, blocks=(), sweep=True)


@pytest.fixture
def store() -> Store:
    """Two of each kind, the newer one of which is going to be what only a newer version knows."""
    store = Store.open()
    for number, name in enumerate(("readable", "newer")):
        created = 1.8e9 + number
        store.create_run(replace(make_run(f"{name}-run"), created_wall_s=created))
        store.create_experiment(replace(experiment(), id=f"{name}-experiment", created_wall_s=created))
        record = replace(
            won().record, id=f"{name}-sweep", created_wall_s=created, winner="", confirm="", state=SweepState.DONE
        )
        store.create_sweep(record, _umbrella(record.id))
    return store


def _spoil(store: Store, kind: str) -> str:
    name = "newer-" + kind.removesuffix("'s experiment")
    store.close()
    connection = sqlite3.connect(store.path)
    connection.execute(_PLACES[kind], (name,))
    connection.commit()
    connection.close()
    return name


@pytest.mark.parametrize("kind", _PLACES)
def test_a_list_names_what_it_cannot_read_and_shows_the_others(store: Store, kind: str) -> None:
    name = _spoil(store, kind)
    command = _COMMANDS[kind]

    listed = invoke(command, "list")
    as_json = invoke(command, "list", "--json")

    assert listed.code == as_json.code == 1, "a script must not take the list for all there is"
    assert f"readable-{command.replace('ab', 'experiment').replace('runs', 'run')}" in listed.out
    assert name not in listed.out
    assert name in listed.err
    assert "if a newer sparktune wrote it, look at it with that one" in listed.err
    assert len(json.loads(as_json.out)[{"sweep": "sweeps", "ab": "experiments", "runs": "runs"}[command]]) == 1


@pytest.mark.parametrize("kind", ["sweep", "experiment", "run"])
def test_the_front_page_shows_the_rest_and_no_older_one_in_its_place(
    store: Store, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sparktune.yaml").write_text(_STATUS)
    name = _spoil(store, kind)

    told = run_sparktune("status", "--json").json

    shown = {one["id"] for one in told["verdicts"]}
    assert name in told["why"]
    assert shown == {f"newer-{other}" for other in ("run", "experiment", "sweep") if other != kind}


def test_the_newest_is_never_silently_an_older_one(store: Store) -> None:
    _spoil(store, "sweep")
    with Store.open() as again, pytest.raises(StoreError, match="sweep newer-sweep in the store"):
        again.load_sweep("")
    assert "newer-sweep" in invoke("sweep", "show").err


def test_what_holds_something_is_found_however_it_is_written(store: Store) -> None:
    """A killed experiment of a newer version has left something on a machine; nobody may measure beside it."""
    store.remember_held("newer-experiment", {"started": 1})
    _spoil(store, "experiment")

    with Store.open() as again:
        assert [one for one, _ in again.holding()] == ["newer-experiment"]


_EARNED = """\
schema: 1
settings:
- knob: max_num_seqs
  value: {flags: {--max-num-seqs: 4}}
  scope: {service: chat}
  evidence: {run: e1, date: 2026-10-01, ratio: 1.2, low: 1.1, high: 1.3}
- knob: block_size
  value: {flags: {--block-size: 32}}
  scope: [chat]
  evidence: {run: e2}
"""


def test_an_entry_of_earned_settings_that_nobody_understands_is_named_by_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "earned.yaml").write_text(_EARNED)

    listed = invoke("earned", "list")
    history = invoke("earned", "history")
    forgotten = invoke("earned", "forget", "max_num_seqs", "--yes")

    assert listed.code == history.code == 2
    assert "max_num_seqs" in listed.out
    for told in (listed, history, forgotten):
        assert "earned.yaml:7: settings[1]" in told.err
    assert forgotten.code == 2, "what changes the file has to understand all of it"
    assert (tmp_path / "earned.yaml").read_text() == _EARNED
