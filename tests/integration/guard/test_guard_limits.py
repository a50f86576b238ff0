"""What a guard judges by: limits of flags and files, the driver, earlyoom, and what cannot be watched."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune
from tests.support.guard_runs import run_guard
from tests.support.shared import shared

from sparktune.agent.protocol import command_slug
from sparktune.host.earlyoom_beside import EARLYOOM_READS
from sparktune.model.reads import ReadCommand


def test_nothing_is_started_on_a_host_that_is_beyond_a_limit(host: Path, tmp_path: Path) -> None:
    done = run_guard(host, "--available-floor", "5GiB", "--", "touch", str(tmp_path / "started"))

    assert done.code == 4
    assert "below the floor of 5.0 GiB" in done.err
    assert "nothing was started" in done.err
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("nodes", ["nowhere.invalid", "{host}/,nowhere.invalid"], ids=["alone", "beside one"])
def test_nothing_is_started_where_a_node_would_not_be_watched(host: Path, tmp_path: Path, nodes: str) -> None:
    """A mistyped name must not leave a load without its guard."""
    command = ("touch", str(tmp_path / "started"))
    done = run_sparktune("guard", "--nodes", nodes.format(host=host), "--", *command)

    assert done.code == 1
    assert "the command was not started: nobody would guard nowhere.invalid" in done.err
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--stop-engine", "99999999"), "there is no process 99999999"),
        (("--stop-engine", "no-such-container"), "is no process id and no container that runs"),
        (("--stop-engine", "http://10.1.2.3:8000"), "is not on this machine"),
        (("--available-floor", "lots"), "--available-floor: a size is wanted, not 'lots'"),
        (("--available-floor", "5"), "hint: write the unit: 5GiB, 5MiB, or 5B if that is meant"),
        (("--swap-pages", "1.5"), "--swap-pages: a whole number"),
        (("--available-floor", ""), "--available-floor is empty"),
        (("--temperature", "-1"), "a limit that is not to count is off"),
        (("--foreign-gpu", "maybe"), "--foreign-gpu: on or off"),
        (("--stop-engine", ""), "--stop-engine is empty"),
        (("--stop-engine", "1"), "this program itself runs in it"),
        (("--stop-engine", str(os.getpid())), "this program itself runs in it"),
        (("--phase", "tail"), "--phase 'tail' is none of load, starting"),
        (("--lost-node", "ignore"), "neither say nor stop"),
        (("--", "/no/such/program"), "/no/such/program cannot be started"),
    ],
)
def test_mistakes_are_said(host: Path, words: tuple[str, ...], said: str) -> None:
    done = run_guard(host, *words, *([] if words[0] == "--" else ["--", "true"]))

    assert done.code == 2
    assert said in done.err


def test_limits_of_the_file_count_unless_a_flag_says_otherwise(host: Path, tmp_path: Path) -> None:
    (tmp_path / "sparktune.yaml").write_text("guard: {available_floor: 5GiB, swap_pages: off}\n")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "sparktune", "guard", "--nodes", f"{host}/", *words, "--", "true"]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, timeout=100)

    assert run().returncode == 4
    assert run("--available-floor", "1GiB").returncode == 0
    (tmp_path / "sparktune.yaml").write_text("guard:\n  available_flor: 5GiB\n")
    wrong = run()
    assert wrong.returncode == 2
    assert "sparktune.yaml:2: guard.available_flor: unknown key" in wrong.stderr
    assert "did you mean available_floor" in wrong.stderr


def test_the_driver_without_memory_stops_a_load_although_22_gib_are_available(host: Path) -> None:
    case = shared("cases/06-meminfo-says-22GiB-driver-says-no-memory")
    (host / "proc/meminfo").write_text((case / "meminfo.txt").read_text())
    (host / "dev").mkdir()
    (host / "dev/kmsg").write_text("")
    script = f"sleep 1; cat {case}/kernel.log >> {host}/dev/kmsg; sleep 30"

    done = run_guard(host, "--", "sh", "-c", script)

    assert done.code == 4
    assert (
        "driver-memory on spark1: 3 lines of the GPU's driver say NV_ERR_NO_MEMORY (0x51) since this began" in done.err
    )
    assert "although MemAvailable is 22.0 GiB" in done.err
    for advice in ("drop_caches", "expandable_segments:False", "vLLM 0.24", "does not help", "save your work"):
        assert advice in done.err


def test_lines_of_the_driver_from_before_are_no_reason_to_stop(host: Path) -> None:
    (host / "dev").mkdir()
    (host / "dev/kmsg").write_text("NVRM: Out of memory [NV_ERR_NO_MEMORY] (0x51)\n" * 5)

    done = run_guard(host, "--", "sleep", "1.2")

    assert done.code == 0
    assert "spark1: 5 lines of the GPU's driver say NV_ERR_NO_MEMORY (0x51) in the kernel's log already" in done.err


def test_what_cannot_be_watched_is_said_once(host: Path) -> None:
    done = run_guard(host, "--", "sleep", "3.5")

    assert done.err.count("driver-memory") == 1
    assert "spark1: not watched by driver-memory: /dev/kmsg: it is not there" in done.err


def test_a_node_that_cannot_be_watched_is_said_also_when_all_else_is_quiet() -> None:
    done = run_sparktune("guard", "--quiet", "--nodes", "no-such-host.invalid", "--", "true")

    assert "no-such-host.invalid is not watched now" in done.err


@pytest.mark.parametrize(("floor", "said"), [("3GiB", "so that a guard comes first"), ("100MiB", "it may come first")])
def test_the_limits_of_earlyoom_are_said_beside_ours(host: Path, floor: str, said: str) -> None:
    """Whoever acts first decides whether there is evidence: earlyoom ends an engine without a trace in its log."""
    (show,) = (read.argv for read in EARLYOOM_READS if isinstance(read, ReadCommand))
    unit = "Id=earlyoom.service\nLoadState=loaded\nActiveState=active\nUnitFileState=enabled\n"
    (host / "commands").mkdir()
    (host / "commands" / f"{command_slug(show)}.txt").write_text(unit)
    (host / "etc/default").mkdir(parents=True)
    (host / "etc/default/earlyoom").write_text('EARLYOOM_ARGS="-m 2 -s 80 --prefer (vllm|sglang)"\n')

    done = run_guard(host, "--available-floor", floor, "--", "true")

    assert "guard: spark1: earlyoom is active (-m 2 -s 80 --prefer" in done.err
    assert said in done.err
