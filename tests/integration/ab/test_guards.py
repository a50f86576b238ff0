"""A host that runs out of memory under an experiment: the load ends at once, the engine when asked, and all is shown.

The host is a tree whose /proc/meminfo the test writes, read by the real agent: what a machine would show, and no harm.
"""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.ab import (
    GUARD,
    QUICK,
    SLOW,
    attach_experiment,
    command_experiment,
    listens,
    result_of,
    server_argv,
    write_experiment,
    writes_long_answers,
)
from tests.support.cli import Finished, run_sparktune, start_sparktune
from tests.support.ports import free_port

from sparktune.io.reference.process import ReferenceProcess
from sparktune.io.store import Store
from sparktune.io.store.location import database_path

_LONG = {"prompt_tokens": 32, "output_tokens": 20_000, "warmup": 0}
_GUARD = {**GUARD, "available_floor": "3GiB"}
_LIMIT_S = 60.0


class Host:
    """A node whose available memory the test says, in GiB."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "spark1"
        self._meminfo = self.root / "proc" / "meminfo"
        self._meminfo.parent.mkdir(parents=True)
        self._meminfo.write_text(_meminfo(20.0))

    def available(self, gibibytes: float) -> None:
        """Change it in place, in one write, as a sampler that keeps the file open sees it."""
        with self._meminfo.open("r+b", buffering=0) as file:
            file.write(_meminfo(gibibytes).encode())


def _meminfo(gibibytes: float) -> str:
    sizes = {"MemTotal": 122.0, "MemFree": gibibytes / 2, "MemAvailable": gibibytes}
    return "".join(f"{name + ':':<16}{round(size * 2**20):>12} kB\n" for name, size in sizes.items())


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[str]]]:
    """Experiments of the test; none outlives it."""
    running: list[subprocess.Popen[str]] = []
    yield running
    for one in running:
        if one.poll() is None:
            one.kill()
            one.communicate()


def _start(folder: Path, host: Host, content: dict[str, Any], *flags: str) -> subprocess.Popen[str]:
    path = write_experiment(folder, {**content, "nodes": [str(host.root)]})
    return start_sparktune("ab", str(path), "--yes", "--json", *flags)


def _finished(process: subprocess.Popen[str]) -> Finished:
    out, err = process.communicate(timeout=_LIMIT_S)
    assert "Traceback" not in err, err
    return Finished(code=process.returncode, out=out, err=err)


def _telling(port: int) -> dict[str, Any]:
    """Return arms whose servers tell what they are at."""
    return {
        arm: {"command": [*server_argv(port, itl_ms), "--engine", "vllm"]}
        for arm, itl_ms in (("a", SLOW), ("b", QUICK))
    }


def _has_started_one() -> bool:
    if not database_path().exists():
        return False
    with Store.open() as store:
        rows = store.list_experiments(1)
        return any(one["state"] == "running" for row in rows for one in store.held(row.id).get("processes", ()))


def _until(what: Any) -> None:  # noqa: ANN401 - a question
    until = time.monotonic() + _LIMIT_S
    while not what():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_host_that_runs_out_under_load_is_saved_and_shown(
    tmp_path: Path, host: Host, port: int, started: list[subprocess.Popen[str]]
) -> None:
    content = command_experiment(port, workload=_LONG, guard=_GUARD, **_telling(port))
    started.append(process := _start(tmp_path, host, content, "--stop-engine"))
    _until(lambda: writes_long_answers(port))
    host.available(2.5)
    finished = _finished(process)
    result = result_of(finished)

    assert finished.code == 4, finished.err
    assert not listens(port)
    assert result["verdict"] == "STOPPED"
    (trip,) = result["trips"]
    assert (trip["guard"], trip["node"], trip["block"]) == ("memory-floor", "spark1", 1)
    assert "2.5 GiB" in trip["evidence"]
    assert "the load ended" in result["why"]
    assert "the engine was stopped within" in result["why"]
    (visit,) = result["visits"]
    assert visit["state"] == "stopped"
    assert visit["memory"][0]["lowest_bytes"] == round(2.5 * 2**30)
    assert visit["memory"][0]["swing_bytes"] == round(17.5 * 2**30)
    assert any("spark1: not watched by" in line for line in result["unwatched"])

    shown = run_sparktune("ab", "show", result["run"])
    assert shown.code == 4
    assert "stopped by memory-floor on spark1, block 1, arm" in shown.out
    told = " ".join(shown.out.split())
    assert "memory of spark1 (1 visit): 2.5 GiB left at least; 17.5 GiB between most and least" in told
    page = tmp_path / "report.html"
    assert run_sparktune("runs", "report", result["run"], "--out", str(page)).code == 0
    assert "Available memory during block 1, arm" in page.read_text()


def test_an_arm_that_takes_all_memory_while_it_starts_is_given_up(
    tmp_path: Path, host: Host, port: int, started: list[subprocess.Popen[str]]
) -> None:
    """Most hosts freeze then, before anything is served at all."""
    never = {"command": ["sleep", "1000"]}
    content = command_experiment(port, a=never, b={"command": ["sleep", "1001"]}, guard=_GUARD)
    started.append(process := _start(tmp_path, host, content))
    _until(_has_started_one)
    host.available(1.0)
    result = result_of(finished := _finished(process))

    assert finished.code == 4, finished.err
    assert "(starting)" in result["why"]
    assert "the start was given up" in result["why"]
    assert result["visits"][0]["run_id"] == ""


def test_the_original_comes_back_when_its_host_has_memory_again(
    tmp_path: Path, host: Host, reference: ReferenceProcess, started: list[subprocess.Popen[str]]
) -> None:
    reference.configure(engine="vllm")
    content = attach_experiment(reference.base_url, workload=_LONG, guard=_GUARD)
    started.append(process := _start(tmp_path, host, content))
    _until(lambda: writes_long_answers(reference.port))
    host.available(1.0)
    assert process.stderr is not None
    assert any("waiting for memory on spark1 before the original is started again" in line for line in process.stderr)
    assert process.poll() is None
    host.available(20.0)
    result = result_of(finished := _finished(process))

    assert finished.code == 4, finished.err
    assert "the original (arm A) is live" in result["afterwards"]


def test_a_step_up_is_not_begun_without_memory_for_it(
    tmp_path: Path, host: Host, port: int, started: list[subprocess.Popen[str]]
) -> None:
    """One stream takes two thirds of the memory; four are not tried, and what one stream did is kept."""
    load = {"prompt_tokens": 32, "output_tokens": 300, "concurrency": [4, 1], "trials": 2, "warmup": 0}
    content = command_experiment(port, workload=load, guard=_GUARD, **_telling(port))
    started.append(process := _start(tmp_path, host, content))
    _until(lambda: writes_long_answers(port))
    host.available(6.0)
    result = result_of(finished := _finished(process))

    assert finished.code == 4, finished.err
    (trip,) = result["trips"]
    assert trip["guard"] == "steps-up"
    assert "pp32 tg300 c4 was not begun: spark1: 6.0 GiB were left with 332 tokens in flight" in trip["evidence"]
    with Store.open() as store:
        cells = [raw.cell.concurrency for raw in store.trials(result["visits"][0]["run_id"])]
    assert cells == [1, 1]


def test_an_engine_that_somebody_else_has_started_is_not_promised_to_be_ended(
    tmp_path: Path, reference: ReferenceProcess
) -> None:
    content = attach_experiment(reference.base_url, guard={**_GUARD, "stop_engine": True})
    finished = run_sparktune("ab", str(write_experiment(tmp_path, content)), "--yes")

    assert finished.code == 2
    assert "the engine cannot be ended: with launcher attach somebody else has started it" in finished.err
