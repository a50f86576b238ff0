"""Moments that two processes can meet in, each brought about on purpose."""

import os
import sqlite3
from pathlib import Path

import pytest
from tests.support.stored import make_cell, make_request, make_run

from sparktune.errors import StoreError
from sparktune.io.store import Store, connection, recovery, spool
from sparktune.io.store.spool import Spool, spools_beside
from sparktune.model.trial import Phase


def _begun(store: Store) -> Spool:
    held = store.spool()
    held.begin("r", make_cell(), 0, Phase.MEASURE, 5.0)
    return held


def test_a_store_that_is_being_created_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite itself does not wait when the journal mode changes; the second of two first runs would be refused."""
    path = tmp_path / "runs.sqlite3"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    pauses: list[float] = []

    def let_go(seconds: float) -> None:
        pauses.append(seconds)
        if other.in_transaction:
            other.execute("COMMIT")

    monkeypatch.setattr(connection.time, "sleep", let_go)
    Store.open(path).close()
    other.close()

    assert pauses


def test_a_store_that_stays_locked_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "runs.sqlite3"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr(connection, "BUSY_S", 0.0)
    with pytest.raises(StoreError, match="is locked"):
        Store.open(path)
    other.close()


def test_a_cleared_spool_has_nothing_to_recover(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite3"
    with Store.open(path) as store:
        store.create_run(make_run("r"))
        held = _begun(store)
        held.append(make_request())
        held.clear()
        held.close()
        held.close()  # a second time changes nothing

    assert spools_beside(path) == ()


def test_a_wave_in_which_nothing_had_finished_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite3"
    with Store.open(path) as store:
        store.create_run(make_run("r"))
        _begun(store).close()
    with Store.open(path) as store:
        assert list(store.trials("r")) == []
        assert store.recovered == recovery.Recovery()

    assert spools_beside(path) == ()


def test_a_spool_that_another_process_recovered_first_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "runs.sqlite3"
    monkeypatch.setattr(recovery, "spools_beside", lambda database: (database.with_name("gone"),))

    with Store.open(path) as store:
        assert store.recovered == recovery.Recovery()


def test_a_new_spool_that_was_taken_for_a_dead_ones_gets_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between creating and locking the file, a process that recovers can lock and delete it."""
    path = tmp_path / "runs.sqlite3"
    names: list[str] = []
    real = spool.lock

    def deleted_first(file: int) -> bool:
        if not names:
            (new,) = spools_beside(path)
            names.append(new.name)
            new.unlink()
        return real(file)

    with Store.open(path) as store:
        store.create_run(make_run("r"))
        monkeypatch.setattr(spool, "lock", deleted_first)
        held = _begun(store)
        held.append(make_request())

        assert [file.name for file in spools_beside(path)] != names
        held.close()
    with Store.open(path) as store:
        assert store.recovered.requests == 1


def test_a_file_system_without_locks_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "lock", lambda _file: False)
    with Store.open(tmp_path / "runs.sqlite3") as store, pytest.raises(StoreError, match="could be locked") as caught:
        store.spool()
    assert "SPARKTUNE_DATA" in caught.value.hint


def test_a_store_that_cannot_be_recovered_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection left open by the error would keep the file locked: that is a warning, and a failure here."""

    def fail(_connection: sqlite3.Connection, _path: Path) -> None:
        raise OSError(5, os.strerror(5))

    monkeypatch.setattr("sparktune.io.store.store.recover", fail)
    with pytest.raises(StoreError, match="Input/output error"):
        Store.open(tmp_path / "runs.sqlite3")
