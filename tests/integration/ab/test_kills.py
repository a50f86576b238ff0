"""Killed at any moment, an experiment leaves a record of all that it touched: resume takes it back, then goes on."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.ab import command_experiment, listens, result_of, write_experiment
from tests.support.cli import Finished, run_sparktune, start_sparktune
from tests.support.ports import free_port

from sparktune.experiment.plan import VisitState
from sparktune.io.store import Store
from sparktune.model.experiment_row import ExperimentRow, ExperimentState

pytestmark = pytest.mark.slow

_ROOT = Path(__file__).resolve().parents[3]
_LIMIT_S = 60.0

# By what was written last: every phase of an experiment of one block, the second visit too.
PHASES = {
    "declared": "create_experiment:1",
    "about to start a server": "remember_held:2",
    "server started": "remember_held:3",
    "run created": "create_run:1",
    "measuring": "add_trial:2",
    "read back again": "set_visit:7",
    "measuring the other arm": "add_trial:6",
    "concluded": "end_experiment:2",
}
SERVER_LEFT = frozenset({"run created", "measuring", "measuring the other arm"})


@pytest.fixture
def port() -> int:
    return free_port()


def _killed(folder: Path, port: int, where: str) -> str:
    """Run an experiment of one block that is killed there, and return its id."""
    path = write_experiment(folder, command_experiment(port, max_blocks=1))
    argv = [sys.executable, "-m", "tests.integration.ab.child", where, "ab", str(path), "--yes", "--quiet"]
    ended = subprocess.run(argv, cwd=_ROOT, capture_output=True, text=True, timeout=_LIMIT_S, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    return _row().id


def _row() -> ExperimentRow:
    with Store.open() as store:
        (row,) = store.list_experiments(5)
    return row


@pytest.mark.parametrize("phase", PHASES)
def test_resume_takes_back_what_was_left_and_goes_on(tmp_path: Path, port: int, phase: str) -> None:
    run = _killed(tmp_path, port, PHASES[phase])
    assert listens(port) or phase not in SERVER_LEFT

    finished = run_sparktune("ab", "resume", run, "--yes", "--json")
    result = result_of(finished)

    assert finished.code == 5, finished.err  # one block is an anecdote
    assert result["blocks"] == 1
    assert {visit["state"] for visit in result["visits"]} <= {"done", "running"}
    assert sum(visit["state"] == "done" for visit in result["visits"]) in {2, 3}
    assert not listens(port)
    assert not _row().holds


def test_resume_can_only_restore(tmp_path: Path, port: int) -> None:
    run = _killed(tmp_path, port, PHASES["measuring"])
    assert _row().holds

    finished = run_sparktune("ab", "resume", run, "--restore-only")

    assert finished.code == 0, finished.err
    assert "restored: what was started has ended" in finished.err
    assert not listens(port)
    assert (_row().state, _row().holds) == (ExperimentState.INTERRUPTED, False)
    with Store.open() as store:
        assert [visit.state for visit in store.visits(run)] == [VisitState.RUNNING]


def test_to_restore_what_had_ended_without_a_verdict_succeeds(tmp_path: Path, port: int) -> None:
    """It was asked for the original alone: a script must not take the missing verdict for a failure to restore."""
    path = write_experiment(tmp_path, command_experiment(port, max_blocks=1))
    ended = run_sparktune("ab", str(path), "--yes", "--quiet")
    finished = run_sparktune("ab", "resume", _row().id, "--restore-only")

    assert ended.code == 5, "one block is an anecdote"
    assert finished.code == 0, finished.err
    assert "nothing was touched; when it ended: what was started has ended" in finished.err


def test_nothing_new_starts_beside_what_a_killed_one_left(tmp_path: Path, port: int) -> None:
    run = _killed(tmp_path, port, PHASES["server started"])

    finished = run_sparktune("ab", str(tmp_path / "experiment.yaml"), "--yes")

    assert finished.code == 2
    assert f"sparktune ab resume {run} --restore-only" in finished.err
    run_sparktune("ab", "resume", run, "--restore-only")
    assert not listens(port)


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=["Ctrl-C", "SIGTERM", "lost terminal"]
)
def test_an_interruption_restores_and_says_how_to_go_on(tmp_path: Path, port: int, number: signal.Signals) -> None:
    finished = _interrupted(tmp_path, port, number, lambda store, run: any(one.run_id for one in store.visits(run)))
    row = _row()

    assert finished.code == 130, finished.err
    assert f"sparktune ab resume {row.id}" in finished.err
    assert "what was started has ended" in finished.err
    assert not listens(port)
    assert (row.state, row.holds) == (ExperimentState.INTERRUPTED, False)
    with Store.open() as store:
        assert [(visit.state, visit.why) for visit in store.visits(row.id)] == [(VisitState.VOID, "interrupted")]


def test_a_background_job_that_is_terminated_restores_and_says_how_to_go_on(tmp_path: Path, port: int) -> None:
    """A script's background job ignores Ctrl-C, and SIGTERM is all that is left: it is no reason for a traceback."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # inherited by what is started
    try:
        finished = _interrupted(
            tmp_path, port, signal.SIGTERM, lambda store, run: any(one.run_id for one in store.visits(run))
        )
    finally:
        signal.signal(signal.SIGINT, before)

    assert finished.code == 130, finished.err
    assert f"sparktune ab resume {_row().id}" in finished.err
    assert "Traceback" not in finished.err
    assert not listens(port)
    assert not _row().holds


def test_an_interruption_while_a_server_starts_ends_it(tmp_path: Path, port: int) -> None:
    finished = _interrupted(tmp_path, port, signal.SIGINT, lambda store, run: bool(store.held(run)))

    assert finished.code == 130, finished.err
    assert not listens(port)
    assert not _row().holds


def _interrupted(folder: Path, port: int, number: signal.Signals, reached: Callable[[Store, str], bool]) -> Finished:
    """Start an experiment, and send the signal as soon as its store shows that a point was reached."""
    path = write_experiment(folder, command_experiment(port))
    process = start_sparktune("ab", str(path), "--yes")
    try:
        deadline = time.monotonic() + _LIMIT_S
        while not _reached(reached):
            assert process.poll() is None, process.stderr.read() if process.stderr else ""
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(number)
        out, err = process.communicate(timeout=_LIMIT_S)
    finally:
        process.kill()
        process.wait()
    return Finished(code=process.returncode, out=out, err=err)


def _reached(reached: Callable[[Store, str], bool]) -> bool:
    with Store.open() as store:
        rows = store.list_experiments(1)
        return bool(rows) and reached(store, rows[0].id)


def test_a_server_that_dies_stops_the_experiment_and_is_told(tmp_path: Path, port: int) -> None:
    """Out of memory in arm B is an answer, too: the guard of all guards."""
    content = command_experiment(port)
    path = write_experiment(tmp_path, {**content, "workload": {**content["workload"], "trials": 1000}})
    process = start_sparktune("ab", str(path), "--yes", "--json")
    try:
        deadline = time.monotonic() + _LIMIT_S
        while not _reached(lambda store, run: any(one.run_id for one in store.visits(run))):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
        with Store.open() as store:
            (server,) = [one for one in store.held(_row().id)["processes"] if one["state"] == "running"]
        os.kill(server["pid"], signal.SIGKILL)
        out, err = process.communicate(timeout=_LIMIT_S)
    finally:
        process.kill()
        process.wait()

    assert process.returncode == 4, err
    result = result_of(Finished(code=4, out=out, err=err))
    assert result["verdict"] == "STOPPED"
    assert result["sentence"].startswith("STOPPED: the server of arm A is gone")
    assert not _row().holds
