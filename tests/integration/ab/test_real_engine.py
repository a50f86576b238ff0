"""A real llama.cpp server per arm: the better arm wins, the same arm never does, a kill leaves nothing running.

The setting is llama.cpp's own (slots), its effect is of the engine: with one slot a request waits until those before it
have been answered to the end, with four none waits for another. The worst wait differs by a factor that no busy machine
reaches by chance.
"""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.ab import GUARD, listens, result_of, run_experiment, write_experiment
from tests.support.cli import run_sparktune, start_sparktune
from tests.support.ports import free_port

from sparktune.experiment.plan import VisitState
from sparktune.io.launching.proc import all_seen
from sparktune.io.store import Store

# Some of it starts a dozen servers, on a machine that does other things.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
_ROOT = Path(__file__).resolve().parents[3]
_LIMIT_S = 100.0
_LONG_S = 280.0  # ten visits
_WORKLOAD = {"prompt_tokens": 32, "output_tokens": 240, "concurrency": 4, "warmup": 3}
_SHORT = {**_WORKLOAD, "output_tokens": 32, "concurrency": 1, "warmup": 1}


@pytest.fixture
def port() -> int:
    return free_port()


def _server(model: Path, port: int, slots: int) -> list[str]:
    words = ["--model", str(model), "--port", str(port), "--context-tokens", "4096", "--parallel", str(slots)]
    return [sys.executable, "-m", "sparktune.io.demo_child", *words]


def _experiment(model: Path, port: int, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - as a file may say
    return {
        "name": "slots of llama.cpp",
        "url": f"http://127.0.0.1:{port}/v1",
        "launcher": "command",
        "a": {"command": _server(model, port, 1)},
        "b": {"command": _server(model, port, 4)},
        "live": {"http": "/props", "keys": "total_slots", "A": 1, "B": 4},
        "workload": _WORKLOAD,
        "primary": "ttft_max_s",
        "max_blocks": 5,
        "seed": 1,
        "guard": GUARD,
        **changes,
    }


def _servers(model: Path) -> list[int]:
    """Return the processes that serve this test's own copy of the model."""
    return [one.pid for one in all_seen() if str(model) in one.argv]


@pytest.fixture
def model(tiny_model: Path, tmp_path: Path) -> Path:
    """A copy of the tiny model, by whose name this test's servers are known."""
    copy = tmp_path / "model.gguf"
    copy.write_bytes(tiny_model.read_bytes())
    return copy


def test_the_better_arm_wins_and_no_server_is_left(model: Path, tmp_path: Path, port: int) -> None:
    path = write_experiment(tmp_path, _experiment(model, port))
    finished = run_sparktune("ab", str(path), "--yes", "--json", limit_s=_LONG_S)
    result = result_of(finished)

    assert result["verdict"] == "IMPROVED", result["sentence"] + result["why"]
    assert finished.code == 0, finished.err
    assert result["effect"]["low"] > 1
    done = [visit for visit in result["visits"] if visit["state"] == "done"]
    assert [(visit["arm"], visit["live_before"]["/props total_slots"]) for visit in done] == [
        (visit["arm"], {"A": "1", "B": "4"}[visit["arm"]]) for visit in done
    ]
    assert not _servers(model)
    assert not listens(port)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_same_arm_twice_is_no_win(model: Path, tmp_path: Path, port: int, seed: int) -> None:
    """Three more are here for every day; `benchmarks/aa.py` runs twenty and keeps what they say."""
    content = _experiment(model, port, aa=True, seed=seed, max_blocks=3, workload=_SHORT, primary="output_tok_s")
    del content["b"]
    result = result_of(run_experiment(tmp_path, {**content, "live": {"http": "/props", "keys": "total_slots", "A": 1}}))

    assert result["verdict"] not in {"IMPROVED", "REGRESSED"}, result["sentence"]
    assert result["blocks"] == 3 or result["verdict"] == "INVALID"
    assert not _servers(model)


def test_a_setting_that_something_takes_back_is_refused(model: Path, tmp_path: Path, port: int) -> None:
    """The command asks for four slots, and the script that it starts knows better: the server has one."""
    script = tmp_path / "serve.sh"
    plain = " ".join(_server(model, port, 1))
    script.write_text(f"#!/bin/sh\n# ignores --parallel\nexec {plain}\n")
    script.chmod(0o700)
    content = _experiment(model, port, workload=_SHORT)
    content |= {arm: {"command": [str(script), "--parallel", slots]} for arm, slots in (("a", "1"), ("b", "4"))}
    finished = run_experiment(tmp_path, content)
    result = result_of(finished)

    assert finished.code == 5, finished.err
    assert result["sentence"].startswith("INVALID: V09: block"), result["sentence"]
    assert "arm B was not live" in result["sentence"]
    refused = [visit for visit in result["visits"] if visit["state"] == "refused"]
    assert [(visit["arm"], visit["run_id"]) for visit in refused] == [("B", "")]
    assert result["effect"] is None
    assert not _servers(model)


# By what was written last before the kill: see child.py.
_PHASES = {
    "starting A": "remember_held:3",
    "warm-up": "add_trial:1",
    "trial": "add_trial:3",
    "between visits": "set_visit:7",
    "starting B": "remember_held:8",
    "restoring": "end_experiment:2",
}


@pytest.mark.parametrize("phase", _PHASES)
def test_after_a_kill_resume_goes_on_and_leaves_no_server(model: Path, tmp_path: Path, port: int, phase: str) -> None:
    run = _killed(model, tmp_path, port, _PHASES[phase])

    finished = run_sparktune("ab", "resume", run, "--yes", "--json")
    result = result_of(finished)

    assert finished.code == 5, finished.err  # one block is an anecdote
    assert result["blocks"] == 1, result["sentence"]
    assert "nothing does now" in result["afterwards"]
    assert not _servers(model)
    assert not listens(port)


def test_after_a_kill_the_original_alone_can_be_brought_back(model: Path, tmp_path: Path, port: int) -> None:
    """Nothing ran at the address before: what the killed run started is found by its mark, and ended."""
    run = _killed(model, tmp_path, port, _PHASES["trial"])
    assert _servers(model), "a server outlives the program that started it"

    finished = run_sparktune("ab", "resume", run, "--restore-only")

    assert finished.code == 0, finished.err
    assert not _servers(model)
    with Store.open() as store:
        assert not store.experiment_row(run).holds
        assert [visit.state for visit in store.visits(run)] == [VisitState.RUNNING]


def test_killed_while_it_restores_it_restores_again(model: Path, tmp_path: Path, port: int) -> None:
    """Ctrl-C, and no patience for what follows."""
    path = write_experiment(tmp_path, _experiment(model, port, workload=_SHORT))
    process = start_sparktune("ab", str(path), "--yes")
    try:
        _read_to(process, "fitting prompts")
        process.send_signal(signal.SIGINT)
        _read_to(process, "bringing the original back")
    finally:
        process.kill()
        process.communicate()
    with Store.open() as store:
        (row,) = store.list_experiments(5)

    finished = run_sparktune("ab", "resume", row.id, "--restore-only")

    assert finished.code == 0, finished.err
    assert not _servers(model)
    assert not listens(port)


def _read_to(process: subprocess.Popen[str], words: str) -> None:
    assert process.stderr is not None
    while words not in process.stderr.readline():
        assert process.poll() is None, process.returncode


def _killed(model: Path, folder: Path, port: int, where: str) -> str:
    """Run an experiment of one block that is killed there, and return its id."""
    path = write_experiment(folder, _experiment(model, port, max_blocks=1, workload=_SHORT))
    argv = [sys.executable, "-m", "tests.integration.ab.child", where, "ab", str(path), "--yes", "--quiet"]
    ended = subprocess.run(argv, cwd=_ROOT, capture_output=True, text=True, timeout=_LIMIT_S, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    with Store.open() as store:
        (row,) = store.list_experiments(5)
    return row.id
