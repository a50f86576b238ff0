"""What goes wrong with a file, and that nothing committed is lost by it."""

import os
import sqlite3
import time
from pathlib import Path

import pytest
from tests.support.stored import make_cell, make_request, make_run, make_trial

from sparktune.errors import StoreError
from sparktune.io.store import Store, spool
from sparktune.io.store.connection import connect
from sparktune.io.store.migrations import APPLICATION_ID
from sparktune.io.store.recovery import Recovery, recover
from sparktune.model.trial import Phase

_OLD = Path(__file__).parent / "version_1.sql"


def _tables(path: Path) -> set[str]:
    with sqlite3.connect(path) as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    connection.close()
    return names


def test_an_older_file_is_brought_up_to_date(tmp_path: Path) -> None:
    """People keep their runs over updates."""
    path = tmp_path / "runs.sqlite3"
    connection = sqlite3.connect(path)
    connection.executescript(_OLD.read_text())
    connection.close()

    with Store.open(path) as store:
        run = store.load_run("250101-000000-old")
        (raw,) = store.trials(run.id)
        found = store.cold_reference(run.base_url, "example/model")

    assert found is None
    assert run.engine.name == "llamacpp"
    assert raw.requests[0].recording.data == b"data: hello\n\n"
    assert tuple(raw.requests[0].recording.arrival_ns) == (5_000_000_000,)
    assert {"cell_results", "cell_metrics"} <= _tables(path)


def test_a_newer_file_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite3"
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("CREATE TABLE future (x)")
    connection.execute("PRAGMA user_version = 99")
    connection.commit()
    connection.close()
    before = path.read_bytes()

    with pytest.raises(StoreError, match="schema 99") as caught:
        Store.open(path)

    assert "update sparktune" in caught.value.hint
    assert path.read_bytes() == before


def test_the_database_of_another_program_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite3"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE bookmarks (url)")
    connection.commit()
    connection.close()
    before = path.read_bytes()

    with pytest.raises(StoreError, match="another program"):
        Store.open(path)

    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite3"
    path.write_text("not a database, but somebody's text\n" * 100)
    before = path.read_bytes()

    with pytest.raises(StoreError, match="is no database") as caught:
        Store.open(path)

    assert "move the file away" in caught.value.hint
    assert path.read_bytes() == before


def test_a_damaged_page_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite3"
    with Store.open(path) as store:
        store.create_run(make_run("r"))
        for index in range(20):
            store.add_trial("r", make_trial(index, requests=(make_request(data=os.urandom(5_000)),)))
    damaged = bytearray(path.read_bytes())
    damaged[8192:] = b"\xff" * (len(damaged) - 8192)
    path.write_bytes(damaged)

    with pytest.raises(StoreError, match="is damaged"), Store.open(path) as store:
        list(store.trials("r"))


def test_a_damaged_row_names_its_run(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite3"
    with Store.open(path) as store:
        store.create_run(make_run("r"))
        store.create_run(make_run("q"))
        store.add_trial("r", make_trial())
    connection = sqlite3.connect(path)
    connection.execute("UPDATE requests SET data = x'00ff'")
    connection.execute("UPDATE runs SET record = '{}' WHERE id = 'q'")
    connection.commit()
    connection.close()

    with Store.open(path) as store:
        with pytest.raises(StoreError, match="run r in the store"):
            list(store.trials("r"))
        with pytest.raises(StoreError, match="run q in the store"):
            store.load_run("q")


def test_a_full_disk_loses_nothing_that_was_committed(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite3"
    big = tuple(make_request(stream, data=os.urandom(40_000)) for stream in range(4))
    with Store.open(path) as store:
        store.create_run(make_run("r"))
        store.add_trial("r", make_trial(0))
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages + 10}")
        with pytest.raises(StoreError, match="is full") as caught:
            store.add_trial("r", make_trial(1, requests=big))
        store._connection.execute("PRAGMA max_page_count = 100000")
        store.add_trial("r", make_trial(2, requests=big))

    assert "free some space" in caught.value.hint
    with Store.open(path) as store:
        assert [raw.index for raw in store.trials("r")] == [0, 2]


def test_a_full_disk_in_the_spool_keeps_what_was_spooled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that stopped half-way would otherwise hide every request after it."""
    path = tmp_path / "runs.sqlite3"
    wave = (make_cell(concurrency=3), 0, Phase.MEASURE, 5.0)
    with Store.open(path) as store:
        store.create_run(make_run("r"))
        held = store.spool()
        held.begin("r", *wave)
        held.append(make_request(0))
        real = os.write
        with monkeypatch.context() as patched:
            patched.setattr(spool.os, "write", _half_then_full(real))
            with pytest.raises(StoreError, match="is full"):
                held.append(make_request(1))
        held.append(make_request(2))
        held.close()
    with Store.open(path) as store:
        (raw,) = store.trials("r")

    assert [request.stream for request in raw.requests] == [0, 2]


def test_a_store_on_a_full_disk_can_still_be_read(tmp_path: Path) -> None:
    """Taking over what a killed run left needs room; exporting what is stored is how people make some."""
    path = tmp_path / "runs.sqlite3"
    with Store.open(path) as store:
        store.create_run(make_run("r"))
        store.add_trial("r", make_trial(0))
        held = store.spool()
        held.begin("r", make_cell(), 1, Phase.MEASURE)
        held.append(make_request(data=os.urandom(400_000), start_ns=9_000_000_000))
        held.close()
    connection = connect(path)
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    found = recover(connection, path)
    connection.close()

    assert found == Recovery(orphans=1)
    with Store.open(path) as store:
        assert [raw.index for raw in store.trials("r")] == [0, 1]


def test_a_wave_without_a_start_began_when_it_was_spooled(tmp_path: Path) -> None:
    """The load knows its exact start only afterwards; 1970 would be a date that nobody measured at."""
    before = time.time()
    path = tmp_path / "runs.sqlite3"
    with Store.open(path) as store:
        store.create_run(make_run("r"))
        held = store.spool()
        held.begin("r", make_cell(), 0, Phase.MEASURE)
        held.append(make_request())
        held.close()
    with Store.open(path) as store:
        (raw,) = store.trials("r")

    assert before <= raw.started_wall_s <= time.time()


def _half_then_full(real: object) -> object:
    calls = []

    def write(file: int, data: memoryview) -> int:
        calls.append(file)
        if len(calls) > 1:
            raise OSError(28, os.strerror(28))
        return real(file, data[: len(data) // 2])

    return write


def test_a_folder_that_is_a_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be used"):
        Store.open(tmp_path / "file" / "runs.sqlite3")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    with pytest.raises(StoreError) as caught:
        Store.open(folder / "runs.sqlite3")
    assert "SPARKTUNE_DATA" in caught.value.hint


def test_a_read_only_file_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite3"
    with Store.open(path) as store:
        store._connection.execute("PRAGMA query_only = ON")
        with pytest.raises(StoreError, match="cannot be written"):
            store.create_run(make_run("r"))


def test_a_store_locked_for_too_long_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite3"
    with Store.open(path) as first, Store.open(path) as second:
        second._connection.execute("PRAGMA busy_timeout = 1")
        first._connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="is locked") as caught:
            second.create_run(make_run("r"))
        assert first.list_runs(9) == second.list_runs(9) == ()  # readers never wait

    assert "another sparktune" in caught.value.hint
