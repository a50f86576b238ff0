"""``sparktune guard``: what eats memory is ended in time, with all of its group, and nothing else is touched."""

import json
import os
import pty
import select
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.support.guard_runs import GENEROUS_S, MEMINFO, alive_with, eat, eaten, run_guard, started
from tests.support.whole import write_whole

from sparktune.units import NS_PER_S


@pytest.mark.parametrize("code", [0, 1, 7])
def test_the_exit_code_of_the_command_is_ours(host: Path, code: int) -> None:
    done = run_guard(host, "--", "sh", "-c", f"echo said; exit {code}")

    assert (done.code, done.out) == (code, "said\n")
    assert "no limit was crossed; lowest MemAvailable: spark1 4.0 GiB" in done.err


def test_a_signal_that_ends_the_command_is_told_as_shells_do(host: Path) -> None:
    assert run_guard(host, "--", "sh", "-c", "kill -TERM $$").code == 128 + signal.SIGTERM


def test_a_command_that_was_killed_by_nobody_knows_whom(host: Path) -> None:
    """137 is SIGKILL and nothing more: whoever reads "out of memory" into it looks for the wrong fault."""
    done = run_guard(host, "--", "sh", "-c", "kill -KILL $$")

    assert done.code == 137
    assert "not proven kernel OOM" in done.err


@pytest.mark.parametrize(("pace", "guards"), [("fast", {"memory-floor"}), ("slowly", {"memory-floor", "memory-slope"})])
def test_what_eats_memory_is_ended_with_its_children(host: Path, pace: str, guards: set[str]) -> None:
    done = run_guard(host, "--json", *eat(host, pace, "--child"))

    report = done.json
    assert done.code == 4, done.err
    assert report["trip"]["guard"] in guards
    assert report["trip"]["node"] == "spark1"
    assert report["stopped"]["after_tick_s"] < GENEROUS_S
    held = eaten(host)
    if report["trip"]["guard"] == "memory-floor":
        crossed = next(instant for instant, size in held if 4096 - size < 3072)
        assert (held[-1][0] - crossed) / NS_PER_S < GENEROUS_S
    assert held[-1][1] < 1500, "it was ended before it had all it wanted"
    lowest = report["nodes"][0]["lowest_available_bytes"]
    assert lowest == report["nodes"][0]["curve"][-1]["available_bytes"]
    assert not alive_with(str(host.parent)), "a child of it lives"


@pytest.mark.slow
def test_steps_are_seen_as_what_they_are(host: Path) -> None:
    """Each step alone is a jump; three of them in six seconds are a slope, and the floor is still far."""
    done = run_guard(
        host, "--json", "--seconds-to-floor", "8", *eat(host, "steps", "--begin", "6144", "--most", "3072")
    )

    assert done.code == 4
    assert done.json["trip"]["guard"] == "memory-slope"
    assert done.json["nodes"][0]["lowest_available_bytes"] > 3 * 1024**3


@pytest.mark.slow
def test_one_jump_ends_nothing(host: Path) -> None:
    done = run_guard(host, *eat(host, "once", "--seconds", "9"))

    assert done.code == 0, done.err
    assert "lowest MemAvailable: spark1 3.1 GiB" in done.err


def test_the_curve_and_the_next_step_are_printed(host: Path) -> None:
    done = run_guard(host, *eat(host, "fast"))

    assert "error: memory-floor on spark1: MemAvailable is 2." in done.err
    assert "below the floor of 3.0 GiB, 4.0 GiB when this began" in done.err
    assert "spark1: MemAvailable, the last" in done.err
    assert "▁" in done.err
    assert "pages swapped" in done.err
    assert "the command and its process group had ended" in done.err
    assert "hint: give the engine less" in done.err


def test_a_command_that_does_not_hear_is_killed(host: Path) -> None:
    script = f"trap '' TERM; {' '.join(eat(host, 'fast')[1:])} & while :; do sleep 0.1; done"
    done = run_guard(host, "--json", "--grace", "0.2", "--", "sh", "-c", script)

    assert done.json["exit_code"] == -signal.SIGKILL
    assert done.json["killed"] is None, "we know who killed it"
    assert not alive_with(str(host.parent))


def test_an_interrupt_goes_to_the_command_which_decides(host: Path, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    script = f"trap 'exit 9' INT; touch {ready}; while :; do sleep 0.05; done"
    with started(host, "--", "sh", "-c", script) as process:
        _await(ready)
        process.send_signal(signal.SIGINT)

        assert process.wait(timeout=30) == 9


def test_without_a_command_it_watches_until_it_is_interrupted(host: Path) -> None:
    with started(host, "--json") as process:
        _await_watching(process)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)

    report: dict[str, Any] = json.loads(out)
    assert process.returncode == 130
    assert report["interrupted"]
    assert report["command"] is None
    assert report["trip"] is None


def test_without_a_command_a_limit_ends_the_watch(host: Path) -> None:
    with started(host) as process:
        _await_watching(process)
        write_whole(host / "proc/meminfo", MEMINFO.replace("MemAvailable: 4194304", "MemAvailable: 1048576"))
        out, err = process.communicate(timeout=30)

    assert process.returncode == 4
    assert "memory-floor on spark1: MemAvailable is 1.0 GiB" in err
    assert "spark1: MemAvailable, the last" in out


def test_at_a_terminal_ctrl_c_reaches_the_command_and_the_terminal_comes_back(host: Path) -> None:
    """The command may read the terminal, as a shell's foreground does; afterwards the terminal is ours again."""
    script = "trap 'echo caught; exit 9' INT; read line; echo got $line; while :; do sleep 0.05; done"
    inner = f"{sys.executable} -m sparktune guard --nodes {host}/ -- sh -c {shlex.quote(script)}; echo code $?; read x"
    child, terminal = pty.fork()
    if child == 0:
        os.execvp("bash", ["bash", "--norc", "-c", f"set -m; {inner}; echo back $x"])  # noqa: S606, S607 - as at a terminal
    try:
        os.write(terminal, b"hello\n")
        _expect(terminal, "got hello")
        os.write(terminal, b"\x03")
        _expect(terminal, "caught")
        _expect(terminal, "code 9")
        os.write(terminal, b"again\n")
        _expect(terminal, "back again")
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


def _await_watching(process: subprocess.Popen[str]) -> None:
    assert process.stderr is not None
    assert "watching spark1 until Ctrl-C" in process.stderr.readline()


def _expect(terminal: int, text: str) -> None:
    """Read what the terminal shows until it has shown a text."""
    shown, until = "", time.monotonic() + 60
    while text not in shown:
        ready, _, _ = select.select([terminal], [], [], max(0.0, until - time.monotonic()))
        assert ready, shown
        try:
            shown += os.read(terminal, 4096).decode(errors="replace")
        except OSError:
            pytest.fail(f"all that used the terminal has ended: {shown!r}")


def _await(path: Path) -> None:
    until = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < until
        time.sleep(0.05)
