"""A result is rebuilt from stored bytes alone, and always the same."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.measured import store_run, wave
from tests.support.stored import make_cell, make_run

from sparktune.errors import UnknownRun, UsageError
from sparktune.flows.bench.result import rebuild
from sparktune.io.store import Store
from sparktune.model.run import RunState
from sparktune.model.trial import Phase


def _store(folder: Path) -> Store:
    return Store.open(folder / "runs.sqlite3")


def test_numbers_come_from_the_bytes(tmp_path: Path) -> None:
    """200 ms to the first token and 10 ms per token after it, of streams that were stored as bytes."""
    with _store(tmp_path) as store:
        result = rebuild(store, store_run(store))

    one, two = result.cells
    assert (one.trials, one.requests, two.trials, two.requests) == (3, 3, 3, 6)
    assert one.metric("ttft_s").median == pytest.approx(0.2)
    assert two.metric("decode_tok_s").median == pytest.approx(100.0)
    assert one.failures == two.failures == {}
    assert one.warmup is not None


def test_a_second_rebuild_is_equal(tmp_path: Path) -> None:
    """What a bench printed is what is shown a year later, by another process, with later runs beside it."""
    with _store(tmp_path) as store:
        cold = (make_cell(4096),)
        run = store_run(store, cells=cold)
        first = rebuild(store, run)
    with _store(tmp_path) as store:
        later = store_run(store, "261130-000000-aaa", cells=cold, created_wall_s=run.created_wall_s + 86_400)
        store.save_result_summary(rebuild(store, later))
        store.save_result_summary(first)

        assert rebuild(store, run) == first


def test_the_state_is_read_anew(tmp_path: Path) -> None:
    """A bench holds the run as it was when it began."""
    with _store(tmp_path) as store:
        run = store_run(store)

        assert rebuild(store, replace(run, state=RunState.RUNNING)).run.state is RunState.DONE


def test_waves_that_were_ended_are_counted_and_in_no_number(tmp_path: Path) -> None:
    with _store(tmp_path) as store:
        cell = make_cell(concurrency=2)
        run = store_run(store, cells=(cell,), trials=2)
        slow = wave(cell, 2, tokens=3)
        store.add_trial(run.id, replace(slow, requests=slow.requests[:1], complete=False))
        store.add_trial(run.id, replace(wave(cell, 1, phase=Phase.WARMUP), complete=False))

        (row,) = rebuild(store, run).cells

    assert (row.trials, row.trials_asked, row.incomplete, row.requests) == (2, 3, 1, 4)
    assert row.failures == {}


def test_a_short_answer_is_a_failure(tmp_path: Path) -> None:
    with _store(tmp_path) as store:
        run = store_run(store, cells=(make_cell(),), trials=2)
        store.add_trial(run.id, wave(make_cell(), 2, tokens=20))

        (row,) = rebuild(store, run).cells

    assert row.failures == {"wrong_token_count": 1}


def test_earlier_runs_are_the_cold_reference(tmp_path: Path) -> None:
    """A prefill rate that no earlier run came near: a cached prefix, or a server that was made faster."""
    with _store(tmp_path) as store:
        slow = store_run(store, "261128-000000-aaa", cells=(make_cell(4096),), created_wall_s=1_795_000_000.0)
        store.save_result_summary(rebuild(store, slow))
        fast = store_run(store, cells=(make_cell(131_072),))

        (row,) = rebuild(store, fast).cells

    (check,) = (check for check in row.checks if check.id == "V02")
    assert check.status.value == "warn"
    assert "of earlier runs" in check.evidence


def test_an_unknown_run_and_an_unknown_engine_are_told(tmp_path: Path) -> None:
    with _store(tmp_path) as store:
        with pytest.raises(UnknownRun):
            rebuild(store, make_run("nobody"))
        run = make_run("r")
        store.create_run(replace(run, engine=replace(run.engine, name="abacus")))
        with pytest.raises(UsageError, match="abacus"):
            rebuild(store, store.load_run("r"))
