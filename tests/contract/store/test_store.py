"""What the store promises, on a real file."""

import sqlite3
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.results import make_cell_result, make_metric, make_result
from tests.support.stored import make_cell, make_request, make_run, make_trial, outcomes, plain, raw_trials, runs

from sparktune.errors import StoreError, UnknownRun, UsageError
from sparktune.io.store import Store
from sparktune.io.store import trials as rows
from sparktune.model.raw import RawTrial
from sparktune.model.run import Run, RunState
from sparktune.model.trial import Phase
from sparktune.model.warmup import WarmupOutcome
from sparktune.redact import MASK


@pytest.fixture
def store(tmp_path: Path) -> Store:
    with Store.open(tmp_path / "runs.sqlite3") as opened:
        yield opened


@settings(max_examples=25)
@given(run=runs())
def test_runs_come_back(tmp_path_factory: pytest.TempPathFactory, run: Run) -> None:
    with Store.open(tmp_path_factory.mktemp("store") / "runs.sqlite3") as store:
        store.create_run(run)

        loaded = store.load_run(run.id)

    assert loaded.workload == run.workload
    assert loaded.engine == run.engine
    assert (loaded.id, loaded.created_wall_s, loaded.state) == (run.id, run.created_wall_s, run.state)


@given(
    trials=st.lists(
        raw_trials(), max_size=3, unique_by=lambda raw: (raw.cell, raw.phase, raw.index, raw.started_wall_s)
    )
)
def test_waves_come_back_in_order(tmp_path_factory: pytest.TempPathFactory, trials: list[RawTrial]) -> None:
    """Every report is rebuilt from these: a byte or a stamp that changed would change published numbers."""
    path = tmp_path_factory.mktemp("store") / "runs.sqlite3"
    with Store.open(path) as store:
        store.create_run(make_run("r"))
        for raw in trials:
            store.add_trial("r", raw)
    with Store.open(path) as store:
        found = [plain(raw) for raw in store.trials("r")]

    assert found == [plain(raw) for raw in trials]


@settings(max_examples=25)
@given(outcome=outcomes())
def test_warmups_come_back(tmp_path_factory: pytest.TempPathFactory, outcome: WarmupOutcome) -> None:
    with Store.open(tmp_path_factory.mktemp("store") / "runs.sqlite3") as store:
        store.create_run(make_run("r"))
        store.set_warmup("r", make_cell(), WarmupOutcome(waves=0, steady=None))
        store.set_warmup("r", make_cell(), outcome)

        assert store.warmups("r") == {make_cell(): outcome}


def test_waves_are_read_one_at_a_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long run is larger than memory: asking for the second wave may not load the third."""
    store.create_run(make_run("r"))
    for index in range(3):
        store.add_trial("r", make_trial(index))
    read: list[int] = []
    original = rows.read_trial

    def counted(connection: sqlite3.Connection, number: int) -> RawTrial:
        read.append(number)
        return original(connection, number)

    monkeypatch.setattr(rows, "read_trial", counted)

    stream = store.trials("r")
    next(stream)
    next(stream)

    assert len(read) == 2


def test_waves_can_be_added_while_others_are_read(store: Store) -> None:
    store.create_run(make_run("r"))
    store.add_trial("r", make_trial(0))
    seen = []
    for raw in store.trials("r"):
        seen.append(raw.index)
        store.add_trial("r", make_trial(raw.index + 1))

    assert seen == [0]
    assert [raw.index for raw in store.trials("r")] == [0, 1]


def test_a_wave_of_no_run_is_refused(store: Store) -> None:
    with pytest.raises(StoreError):
        store.add_trial("nobody", make_trial())

    assert list(store.trials("nobody")) == []


def test_half_a_wave_is_never_stored(store: Store) -> None:
    """The second request cannot be written; the first one already was."""
    store.create_run(make_run("r"))
    bad = make_request(2**70)  # no integer of SQLite
    with pytest.raises(OverflowError):
        store.add_trial("r", make_trial(requests=(make_request(0), bad)))

    assert list(store.trials("r")) == []


def test_states_change(store: Store) -> None:
    store.create_run(make_run("r"))
    store.set_state("r", RunState.INTERRUPTED)

    assert store.load_run("r").state is RunState.INTERRUPTED
    with pytest.raises(UnknownRun):
        store.set_state("q", RunState.DONE)


def test_an_id_is_used_once(store: Store) -> None:
    store.create_run(make_run("r"))
    with pytest.raises(StoreError, match="already"):
        store.create_run(make_run("r"))


def test_runs_are_found_by_their_beginning(store: Store) -> None:
    for run_id in ("261129-175016-k3f", "261129-175016-m3f", "261130-080000-aaa", "261130"):
        store.create_run(make_run(run_id))

    assert store.load_run("261129-175016-k").id == "261129-175016-k3f"
    assert store.load_run("261130").id == "261130"
    with pytest.raises(UsageError, match="2 runs begin with '261129'") as ambiguous:
        store.load_run("261129")
    assert "261129-175016-k3f, 261129-175016-m3f" in ambiguous.value.hint
    with pytest.raises(UnknownRun) as unknown:
        store.load_run("261129-175016-k4f")
    assert "261129-175016-k3f" in unknown.value.hint
    with pytest.raises(UnknownRun):
        store.load_run("%")


def test_an_empty_store_says_how_to_fill_it(store: Store) -> None:
    with pytest.raises(UnknownRun, match="has no run yet") as newest:
        store.newest_run()
    with pytest.raises(UnknownRun, match="no run '26'") as named:
        store.load_run("26")
    assert "sparktune bench" in newest.value.hint
    assert "sparktune bench" in named.value.hint


def test_lists_are_newest_first(store: Store) -> None:
    cells = (make_cell(), make_cell(concurrency=4))
    for number in range(4):
        store.create_run(make_run(f"r{number}", created_wall_s=1000.0 + number, cells=cells))
    store.add_trial("r3", make_trial(0))
    store.add_trial("r3", make_trial(0, phase=Phase.WARMUP))
    result = make_result(cells=(make_cell_result(), make_cell_result(cell=cells[1], valid=False)))
    store.save_result_summary(make_result(run=make_run("r3", cells=cells), cells=result.cells))

    rows = store.list_runs(2)

    assert [row.id for row in rows] == ["r3", "r2"]
    assert (rows[0].cells, rows[0].waves, rows[0].valid) == (2, 1, 1)
    assert rows[1].valid is None
    assert store.newest_run().id == "r3"


def test_secrets_are_hidden_on_the_way_in(tmp_path: Path) -> None:
    """A store is a file that people copy: no key may be in it, whatever the caller forgot."""
    secret = "s3cr3t" * 4
    path = tmp_path / "runs.sqlite3"
    with Store.open(path) as store:
        run = make_run("r", base_url=f"http://me:{secret}@spark:8000/v1", argv=("bench", "--api-key", secret))
        store.create_run(run)
        loaded = store.load_run("r")
    bytes_on_disk = b"".join(file.read_bytes() for file in tmp_path.iterdir())

    assert loaded.provenance.argv == ("bench", "--api-key", MASK)
    assert loaded.base_url == f"http://{MASK}@spark:8000/v1"
    assert secret.encode() not in bytes_on_disk


def test_the_folder_is_the_users_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "runs.sqlite3"
    with Store.open(path) as store, store.spool():
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}

    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert set(modes.values()) == {0o600}


def test_the_environment_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARKTUNE_DATA", str(tmp_path / "here"))
    with Store.open() as store:
        assert store.path == tmp_path / "here" / "runs.sqlite3"


def test_without_the_environment_it_is_the_users_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARKTUNE_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with Store.open() as store:
        assert store.path == tmp_path / "sparktune" / "runs.sqlite3"


def _summary(run_id: str, rate: float | None, **cell: int) -> object:
    prefill = make_metric("prefill_tok_s", (rate,), unit="tok/s")
    shape = make_cell(**({"prompt_tokens": 2048} | cell))
    return make_result(run=make_run(run_id), cells=(make_cell_result(cell=shape, metrics=(prefill,)),))


def test_the_cold_reference_is_the_median_of_earlier_runs(store: Store) -> None:
    for number, rate in enumerate((1500.0, 1700.0, 1900.0)):
        run = make_run(f"r{number}", created_wall_s=1000.0 + number)
        store.create_run(run)
        store.save_result_summary(_summary(run.id, rate))

    where = ("http://127.0.0.1:8000/v1", "example/model")
    assert store.cold_reference(*where) == 1700.0
    assert store.cold_reference(*where, before_wall_s=1002.0) == 1600.0
    assert store.cold_reference(*where, before_wall_s=1000.0) is None
    assert store.cold_reference("http://127.0.0.1:9000/v1", "example/model") is None
    assert store.cold_reference(where[0], "other/model") is None


@pytest.mark.parametrize("cell", [{"prompt_tokens": 2047}, {"depth": 4096}, {"concurrency": 2}])
def test_cells_that_are_not_cold_are_no_reference(store: Store, cell: dict[str, int]) -> None:
    store.create_run(make_run("r"))
    store.save_result_summary(_summary("r", 1700.0, **cell))

    assert store.cold_reference("http://127.0.0.1:8000/v1", "example/model") is None


def test_invalid_and_unknown_cells_are_no_reference(store: Store) -> None:
    """A cached prefix once taken for a cold rate would call every honest run slow."""
    store.create_run(make_run("r"))
    store.create_run(make_run("q"))
    metrics = (make_metric("prefill_tok_s", (42_051.0,), unit="tok/s"),)
    invalid = make_cell_result(cell=make_cell(prompt_tokens=131_072), metrics=metrics, valid=False)
    store.save_result_summary(make_result(run=make_run("r"), cells=(invalid,)))
    store.save_result_summary(_summary("q", None))

    assert store.cold_reference("http://127.0.0.1:8000/v1", "example/model") is None


def test_a_summary_replaces_the_one_before(store: Store) -> None:
    store.create_run(make_run("r"))
    store.save_result_summary(_summary("r", 1700.0))
    store.save_result_summary(_summary("r", 1800.0))

    assert store.cold_reference("http://127.0.0.1:8000/v1", "example/model") == 1800.0
