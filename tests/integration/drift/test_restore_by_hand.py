"""``drift restore`` on a plain process: earned 2, file 1, live 1. Files, script and server are real."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from tests.support.by_hand import KNOB, HandMade, hand_made
from tests.support.ports import free_port

from sparktune.io.http.address import parse_address

_REPOSITORY = Path(__file__).parents[3]
_SETTLES_S = 60.0
_EARNED = {
    "schema": 1,
    "settings": [
        {
            "knob": KNOB,
            "value": {"env": {KNOB: "2"}},
            "instead_of": {"env": {KNOB: "1"}},
            "scope": {"service": "hand"},
            "evidence": {"run": "20260902-aaaa", "date": "2026-09-02"},
        }
    ],
}


@pytest.fixture
def made(tmp_path: Path) -> Iterator[HandMade]:
    """A service that runs with 1, where 2 was earned."""
    port = free_port()
    made = hand_made(tmp_path / "srv", port)
    service = {"endpoint": f"http://127.0.0.1:{port}/v1", "launcher": "script", "where": [made.where()]}
    (tmp_path / "sparktune.yaml").write_text(yaml.safe_dump({"services": {"hand": service}}))
    (tmp_path / "earned.yaml").write_text(yaml.safe_dump(_EARNED))
    made.start()
    _until(lambda: _answers(port))
    yield made
    _reverted(made)
    made.end()


def test_the_plan_says_all_and_touches_nothing(made: HandMade) -> None:
    before, pids = made.variables.read_bytes(), made.pids()
    done = _restore(made, KNOB, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert f"-export {KNOB}=1   # earned once" in done.stdout
    assert f"+export {KNOB}=2   # earned once" in done.stdout
    told = " ".join(done.stdout.split())
    assert told.index("serve.sh stop") < told.index("serve.sh start")
    assert "restart of the service" in done.stdout
    assert (made.variables.read_bytes(), made.pids()) == (before, pids)


@pytest.mark.slow
def test_nobody_is_asked_without_a_terminal(made: HandMade) -> None:
    done = _restore(made, KNOB)
    assert done.returncode == 2
    assert "--yes" in done.stderr


@pytest.mark.parametrize("key", [f"env.{KNOB}", pytest.param("dspark_max_inflight_prefills", marks=pytest.mark.slow)])
def test_what_was_earned_is_live_again(made: HandMade, key: str) -> None:
    before = made.variables.read_text()
    done = _restore(made, key, "--yes")
    assert done.returncode == 0, done.stderr
    assert made.live() == ["2"], "read from the process itself, not from what we said"
    assert made.variables.read_text() == before.replace(f"{KNOB}=1", f"{KNOB}=2"), "its comments and bytes stay"
    assert "OK" in done.stdout, "the rows of drift are shown after it"
    assert "nothing of a restore is left" in _restore(made, "--undo", "--yes").stderr


@pytest.mark.slow
def test_a_script_that_sets_it_again_is_found_out(made: HandMade) -> None:
    """The file says 2, the process has 1: claiming that it was restored would be the lie that this is against."""
    (made.folder / "late.sh").write_text(f"export {KNOB}=1\n")  # nobody told us of this one
    made.write_script("--slots", "1", override=". ./late.sh")
    before = made.variables.read_bytes()
    done = _restore(made, KNOB, "--yes")
    assert done.returncode == 1, done.stderr
    assert f"{KNOB} is 1, not 2" in done.stderr
    assert made.variables.read_bytes() == before
    assert made.live() == ["1"], "it runs as before"


@pytest.mark.slow
def test_a_file_that_is_right_already_only_costs_a_restart(made: HandMade) -> None:
    made.variables.write_text(made.variables.read_text().replace(f"{KNOB}=1", f"{KNOB}=2"))
    done = _restore(made, KNOB, "--yes")
    assert done.returncode == 0, done.stderr
    assert "No file is edited" in done.stderr
    assert made.live() == ["2"]


@pytest.mark.parametrize("writes", [0, 5, *(pytest.param(one, marks=pytest.mark.slow) for one in (1, 2, 3, 4, 6, 7))])
def test_a_disk_that_is_full_leaves_it_as_it_was(made: HandMade, writes: int) -> None:
    """It has to be started again also when that cannot be remembered: else a full disk takes the service away."""
    before, pids = made.variables.read_bytes(), made.pids()
    done = _full_after(made, writes, KNOB, "--yes")
    assert done.returncode == 1, done.stderr
    assert "cannot be kept: " in done.stderr
    assert "No space left on device" in done.stderr
    assert (made.variables.read_bytes(), made.live()) == (before, ["1"])
    assert ("nothing was changed" in done.stderr) is (not writes)
    assert writes or made.pids() == pids, "it was not even stopped"
    assert "nothing of a restore is left" in _restore(made, "--undo", "--yes").stderr, done.stderr


def test_a_killed_restore_is_taken_back(made: HandMade) -> None:
    """Killed while the service with the new value is starting: the file is edited, the old process is gone."""
    before = made.variables.read_bytes()
    _kill_a_restore(made)
    refused = _restore(made, KNOB, "--yes")
    assert refused.returncode == 2, "a second restore does not begin on top of what the first one left"
    assert "--undo" in refused.stderr
    (made.folder.parent / "earned.yaml").write_text("settings: [")  # somebody edits it just then: it is not needed
    status = _run(made, "-m", "sparktune", "status", "--within", "60s")
    assert "sparktune drift restore --undo --service hand" in " ".join(status.stdout.split()), status.stderr
    made.write_script("--slots", "1")
    done = _restore(made, "--undo", "--yes")
    assert done.returncode == 0, done.stderr
    assert made.variables.read_bytes() == before
    assert made.live() == ["1"]


@pytest.mark.slow
def test_what_is_left_is_taken_back_on_a_full_disk_and_with_another_address(made: HandMade) -> None:
    """Who comes in the morning may have edited sparktune.yaml first, and may have a disk that is full."""
    before = made.variables.read_bytes()
    _kill_a_restore(made)
    config = made.folder.parent / "sparktune.yaml"
    config.write_text(config.read_text().replace("127.0.0.1", "localhost"))
    made.write_script("--slots", "1")
    done = _full_after(made, 0, "--undo", "--yes", "--service", "hand")
    assert done.returncode == 0, done.stderr
    assert (made.variables.read_bytes(), made.live()) == (before, ["1"])
    assert "nothing of a restore is left" in _restore(made, "--undo", "--yes").stderr


@pytest.mark.slow
def test_what_nobody_earned_is_not_restored(made: HandMade) -> None:
    done = _restore(made, "--max-num-seqs", "--yes")
    assert done.returncode == 2
    assert KNOB in done.stderr, "what was earned is named"


def _kill_a_restore(made: HandMade) -> None:
    """Kill one while the service with the new value is starting."""
    before = made.variables.read_bytes()
    made.write_script("--slots", "1", "loading")  # it never generates a token
    child = subprocess.Popen(_command(KNOB, "--yes"), cwd=made.folder.parent, env=_environment(made))
    _until(lambda: made.variables.read_bytes() != before and made.live() == ["2"])
    child.send_signal(signal.SIGKILL)
    child.wait()


def _command(*words: str) -> list[str]:
    return [sys.executable, "-m", "sparktune", "drift", "restore", *words]


def _environment(made: HandMade) -> dict[str, str]:
    ways = {"SPARKTUNE_DATA": str(made.folder.parent / "data"), "PYTHONPATH": str(_REPOSITORY)}
    return {**os.environ, **ways, "ARMS_TEST": str(made.folder)}


def _restore(made: HandMade, *words: str) -> subprocess.CompletedProcess[str]:
    return _run(made, "-m", "sparktune", "drift", "restore", *words)


def _full_after(made: HandMade, writes: int, *words: str) -> subprocess.CompletedProcess[str]:
    """Restore on a disk that takes so many records."""
    return _run(made, "-m", "tests.support.full_data", str(writes), "drift", "restore", *words)


def _run(made: HandMade, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (sys.executable, *words),
        cwd=made.folder.parent,
        env=_environment(made),
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def _reverted(made: HandMade) -> None:
    """Leave no transaction on the machine that the test runs on, where it could make any."""
    if os.geteuid() != 0:
        return
    for journal in sorted(Path("/var/lib/sparktune/txn").glob("*/journal.jsonl"), reverse=True):
        words = ["/usr/bin/env", "python3", "-I", "/var/lib/sparktune/agent.pyz", "revert", journal.parent.name]
        with suppress(FileNotFoundError):  # another test's agent has put it away meanwhile
            if str(made.folder) in journal.read_text().partition("\n")[0]:
                subprocess.run(words, capture_output=True, check=False)


def _answers(port: int) -> bool:
    address = parse_address(f"http://127.0.0.1:{port}/v1").target
    try:
        with socket.create_connection((address.host, address.port), timeout=1):
            return True
    except OSError:
        return False


def _until(holds: object) -> None:
    until = time.monotonic() + _SETTLES_S
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < until
        time.sleep(0.05)
