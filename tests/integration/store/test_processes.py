"""Processes that die, and processes that share one store."""

import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sparktune.io.store import Store
from sparktune.io.store.spool import spools_beside

_ROOT = Path(__file__).resolve().parents[3]
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start the child with an action; whatever still runs at the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def run(*arguments: str) -> subprocess.Popen[str]:
        action, *rest = arguments
        child = subprocess.Popen(  # our own child, a fixed command
            [sys.executable, "-m", "tests.integration.store.child", action, str(tmp_path / "runs.sqlite3"), *rest],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=_ROOT,
        )
        started.append(child)
        return child

    yield run
    for child in started:
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            assert pipe is not None
            pipe.close()


def _said(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def test_a_killed_process_loses_no_finished_request(tmp_path: Path, start: Start) -> None:
    path = tmp_path / "runs.sqlite3"
    child = start("spool")
    assert _said(child) == "spooled"
    child.kill()
    child.wait()

    with Store.open(path) as store:
        (raw,) = store.trials("r")
        recovered = store.recovered

    assert (recovered.waves, recovered.requests, recovered.torn_bytes) == (1, 2, 0)
    assert not raw.complete
    assert raw.cell.concurrency == 3
    assert [request.recording.data for request in raw.requests] == [b"first\n", b"second\n"]
    assert spools_beside(path) == ()


def test_a_torn_last_request_is_dropped_and_counted(tmp_path: Path, start: Start) -> None:
    path = tmp_path / "runs.sqlite3"
    child = start("spool")
    assert _said(child) == "spooled"
    child.kill()
    child.wait()
    (spool,) = spools_beside(path)
    spool.write_bytes(spool.read_bytes()[:-3])

    with Store.open(path) as store:
        (raw,) = store.trials("r")

    assert [request.stream for request in raw.requests] == [0]
    assert store.recovered.requests == 1
    assert store.recovered.torn_bytes > 0


def test_a_living_process_keeps_its_spool(tmp_path: Path, start: Start) -> None:
    """Looking at old runs in another window must not take a running bench's requests away."""
    path = tmp_path / "runs.sqlite3"
    child = start("spool")
    assert _said(child) == "spooled"

    with Store.open(path) as store:
        assert store.recovered.waves == 0
        assert list(store.trials("r")) == []

    assert len(spools_beside(path)) == 1


def test_a_committed_wave_is_not_stored_twice(tmp_path: Path, start: Start) -> None:
    """Killed between the commit and clearing the spool: the wave is complete, not also incomplete."""
    path = tmp_path / "runs.sqlite3"
    child = start("commit")
    assert _said(child) == "committed"
    child.kill()
    child.wait()

    with Store.open(path) as store:
        (raw,) = store.trials("r")

    assert raw.complete
    assert store.recovered.waves == 0
    assert spools_beside(path) == ()


def test_a_spool_whose_run_is_missing_is_kept(tmp_path: Path, start: Start) -> None:
    path = tmp_path / "runs.sqlite3"
    child = start("spool")
    assert _said(child) == "spooled"
    child.kill()
    child.wait()
    for file in tmp_path.glob("runs.sqlite3*"):
        if file not in spools_beside(path):
            file.unlink()

    with Store.open(path) as store:
        assert store.recovered.orphans == 1

    assert len(spools_beside(path)) == 1


def test_a_spool_of_another_version_is_kept_and_does_not_stop_us(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite3"
    payload = b'{"run": "r"}'
    frame = struct.pack("=cQI", b"B", len(payload), zlib.crc32(payload)) + payload
    tmp_path.joinpath("runs.sqlite3.spool-1-0").write_bytes(frame)

    with Store.open(path) as store:
        assert store.recovered.orphans == 1

    assert len(spools_beside(path)) == 1


def test_an_orderly_end_leaves_no_spool(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite3"
    with Store.open(path) as store, store.spool():
        assert len(spools_beside(path)) == 1

    assert spools_beside(path) == ()


def test_processes_share_a_new_store(tmp_path: Path, start: Start) -> None:
    """All create the file at once, and all write: nobody is refused, nothing is lost."""
    children = {name: start("write", name) for name in ("a", "b", "c", "d")}
    for child in children.values():
        assert child.stdin is not None
        child.stdin.close()
    for child in children.values():
        assert _said(child) == "written"
        assert child.wait() == 0

    with Store.open(tmp_path / "runs.sqlite3") as store:
        counts = {name: sum(1 for _ in store.trials(name)) for name in children}

    assert counts == dict.fromkeys(children, 25)
