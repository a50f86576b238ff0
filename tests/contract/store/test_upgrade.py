"""Stores that every older schema left are read by today's program: people keep what they measured over updates.

``version_1.sql`` and ``versions/*.sql`` were written by the programs of their time, and dumped as text.
"""

import hashlib
import re
import sqlite3
from importlib import resources
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sparktune.cli import app as cli
from sparktune.io.store import Store
from sparktune.model.experiment_row import ExperimentState

_HERE = Path(__file__).parent
_SCHEMA = resources.files("sparktune.io.store") / "schema"
_NEWEST = sum(file.name.endswith(".sql") for file in _SCHEMA.iterdir())
_DUMPS = {1: _HERE / "version_1.sql"} | {
    int(re.sub(r"\D", "", path.stem)): path for path in (_HERE / "versions").glob("version_*.sql")
}
_RUN, _EXPERIMENT, _SWEEP = "250101-000000-old", "250101-000000-exp", "s1"
_RELEASED = {
    "0001_runs.sql": "772a4f57867a60fc",
    "0002_cell_results.sql": "b337fcec5f72fbba",
    "0003_experiments.sql": "15c1692527e589fd",
    "0004_shapes.sql": "b14b3d9b614ef7de",
    "0005_memory_curves.sql": "6a9e410567173fff",
    "0006_sweeps.sql": "665eca768758f25b",
    "0007_idle_trials.sql": "f88cba900172a53c",
}


@pytest.fixture(params=sorted(_DUMPS), ids=lambda version: f"schema {version}")
def old(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[int, Path]:
    """A version of the schema, and a store as it left it."""
    path = tmp_path / "runs.sqlite3"
    connection = sqlite3.connect(path)
    connection.executescript(_DUMPS[request.param].read_text())
    assert connection.execute("PRAGMA user_version").fetchone() == (request.param,)
    connection.close()
    return request.param, path


def test_there_is_a_store_of_every_older_schema() -> None:
    """A new schema needs the store of the one before it here, or an update may lose what it held."""
    assert sorted(_DUMPS) == list(range(1, _NEWEST))


def test_released_schemas_never_change() -> None:
    """Stores that people have were made by these files; what comes is a new file, and its hash belongs here."""
    found = {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()[:16]
        for file in _SCHEMA.iterdir()
        if file.name.endswith(".sql")
    }
    assert found == _RELEASED


def test_runs_are_read(old: tuple[int, Path]) -> None:
    with Store.open(old[1]) as store:
        run = store.newest_run()
        trials = list(store.trials(run.id))
        (row,) = store.list_runs(9)

    assert row.id == run.id
    assert run.provenance.hostname
    assert trials
    for trial in trials:
        assert trial.cell in run.workload.cells
        assert all(request.recording.data for request in trial.requests)
        assert all(len(request.recording.arrival_ns) for request in trial.requests)


def test_experiments_are_read(old: tuple[int, Path]) -> None:
    version, path = old
    with Store.open(path) as store:
        found = store.list_experiments(9)
        if version < 3:
            assert found == ()
            return
        plan = store.load_experiment(_EXPERIMENT)
        (visit,) = store.visits(_EXPERIMENT)
        held = store.held(_EXPERIMENT)

    assert [row.id for row in found] == [_EXPERIMENT]
    assert found[0].state is ExperimentState.RUNNING
    assert (plan.knob, plan.primary.metric, len(plan.blocks)) == ("parallel slots", "output_tok_s", 8)
    assert visit.run_id == _RUN
    assert held == {}


def test_sweeps_are_read(old: tuple[int, Path]) -> None:
    version, path = old
    with Store.open(path) as store:
        found = store.list_sweeps(9)

    assert [sweep.id for sweep in found] == ([_SWEEP] if version >= 6 else [])
    assert [sweep.plan.ranges[0].knob for sweep in found] == (["max_num_seqs"] if version >= 6 else [])


def test_an_upgraded_store_has_the_schema_of_a_new_one(old: tuple[int, Path], tmp_path: Path) -> None:
    """Two ways to the same tables that differ would show on somebody's machine only."""
    new = tmp_path / "new" / "runs.sqlite3"
    for path in (old[1], new):
        Store.open(path).close()

    assert _columns(old[1]) == _columns(new)


def test_it_is_brought_up_to_date_once(old: tuple[int, Path]) -> None:
    for _ in range(2):
        Store.open(old[1]).close()

    with sqlite3.connect(old[1]) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (_NEWEST,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def test_commands_show_what_an_older_program_stored(old: tuple[int, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    version, path = old
    monkeypatch.setenv("SPARKTUNE_DATA", str(path.parent))
    cli.register_commands()
    for words in (["runs", "list"], ["runs", "show"], *([["ab", "list"]] if version >= 3 else [])):
        done = CliRunner().invoke(cli.app, words)

        # The run of schema 1 has a request that failed, and says so by its exit code.
        assert done.exit_code == 0 or (version, words, done.exit_code) == (1, ["runs", "show"], 1), done.output
        assert "250101-000000-" in done.output, done.output


def _columns(path: Path) -> dict[str, list[tuple[object, ...]]]:
    connection = sqlite3.connect(path)
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master ORDER BY name")]
    found = {name: connection.execute(f"PRAGMA table_info({name})").fetchall() for name in names}
    connection.close()
    return found
