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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support import eater
from tests.support.cli import Finished, run_sparktune
from tests.support.shared import shared

from sparktune.agent.protocol import command_slug
from sparktune.host.earlyoom_beside import EARLYOOM_READS
from sparktune.model.reads import ReadCommand

_EATER = (sys.executable, str(eater.__file__))
_MEMINFO = "MemTotal: 8388608 kB\nMemFree: 2097152 kB\nMemAvailable: 4194304 kB\n"
_GENEROUS_S = 8.0  # a busy machine may be slow; the figures of a quiet one are those of benchmarks/guard.py
_SLEEPER = (sys.executable, "-c", "import time; time.sleep(300)")


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A host that shows only its memory."""
    tree = tmp_path / "spark1"
    (tree / "proc").mkdir(parents=True)
    (tree / "proc/meminfo").write_text(_MEMINFO)
    return tree


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """An engine that holds on until it is ended."""
    process = subprocess.Popen(_SLEEPER)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _guard(host: Path, *words: str) -> Finished:
    return run_sparktune("guard", "--nodes", f"{host}/", *words)


def _eat(host: Path, pace: str, *words: str) -> tuple[str, ...]:
    log = host.parent / "eaten.log"
    return ("--", *_EATER, pace, "--meminfo", str(host / "proc/meminfo"), "--log", str(log), *words)


def _eaten(host: Path) -> list[tuple[int, int]]:
    """Return what the eater wrote: instants of the monotonic clock, and the MiB that it held."""
    lines = (host.parent / "eaten.log").read_text().splitlines()
    return [(int(instant), int(size)) for instant, size in (line.split() for line in lines)]


@pytest.mark.parametrize("code", [0, 1, 7])
def test_the_exit_code_of_the_command_is_ours(host: Path, code: int) -> None:
    done = _guard(host, "--", "sh", "-c", f"echo said; exit {code}")

    assert (done.code, done.out) == (code, "said\n")
    assert "no limit was crossed; lowest MemAvailable: spark1 4.0 GiB" in done.err


def test_a_signal_that_ends_the_command_is_told_as_shells_do(host: Path) -> None:
    assert _guard(host, "--", "sh", "-c", "kill -TERM $$").code == 128 + signal.SIGTERM


def test_a_command_that_was_killed_by_nobody_knows_whom(host: Path) -> None:
    """137 is SIGKILL and nothing more: whoever reads "out of memory" into it looks for the wrong fault."""
    done = _guard(host, "--", "sh", "-c", "kill -KILL $$")

    assert done.code == 137
    assert "not proven kernel OOM" in done.err


@pytest.mark.parametrize(("pace", "guards"), [("fast", {"memory-floor"}), ("slowly", {"memory-floor", "memory-slope"})])
def test_what_eats_memory_is_ended_with_its_children(host: Path, pace: str, guards: set[str]) -> None:
    done = _guard(host, "--json", *_eat(host, pace, "--child"))

    report = done.json
    assert done.code == 4, done.err
    assert report["trip"]["guard"] in guards
    assert report["trip"]["node"] == "spark1"
    assert report["stopped"]["after_tick_s"] < _GENEROUS_S
    eaten = _eaten(host)
    crossed = [instant for instant, size in eaten if 4096 - size < 3072]
    assert not crossed or (eaten[-1][0] - crossed[0]) / 1e9 < _GENEROUS_S
    assert eaten[-1][1] < 1500, "it was ended before it had all it wanted"
    lowest = report["nodes"][0]["lowest_available_bytes"]
    assert lowest == report["nodes"][0]["curve"][-1]["available_bytes"]
    assert not _alive_with(str(host.parent)), "a child of it lives"


@pytest.mark.slow
def test_steps_are_seen_as_what_they_are(host: Path) -> None:
    """Each step alone is a jump; three of them in six seconds are a slope, and the floor is still far."""
    done = _guard(host, "--json", "--seconds-to-floor", "8", *_eat(host, "steps", "--begin", "6144", "--most", "3072"))

    assert done.code == 4
    assert done.json["trip"]["guard"] == "memory-slope"
    assert done.json["nodes"][0]["lowest_available_bytes"] > 3 * 1024**3


@pytest.mark.slow
def test_one_jump_ends_nothing(host: Path) -> None:
    done = _guard(host, *_eat(host, "once", "--seconds", "9"))

    assert done.code == 0, done.err
    assert "lowest MemAvailable: spark1 3.1 GiB" in done.err


def test_the_curve_and_the_next_step_are_printed(host: Path) -> None:
    done = _guard(host, *_eat(host, "fast"))

    assert "error: memory-floor on spark1: MemAvailable is 2." in done.err
    assert "below the floor of 3.0 GiB, 4.0 GiB when this began" in done.err
    assert "spark1: MemAvailable, the last" in done.err
    assert "▁" in done.err
    assert "pages swapped" in done.err
    assert "the command and its process group had ended" in done.err
    assert "hint: give the engine less" in done.err


def test_a_command_that_does_not_hear_is_killed(host: Path) -> None:
    script = f"trap '' TERM; {' '.join(_eat(host, 'fast')[1:])} & while :; do sleep 0.1; done"
    done = _guard(host, "--json", "--grace", "0.2", "--", "sh", "-c", script)

    assert done.json["exit_code"] == -signal.SIGKILL
    assert done.json["killed"] is None, "we know who killed it"
    assert not _alive_with(str(host.parent))


def test_nothing_is_started_on_a_host_that_is_beyond_a_limit(host: Path, tmp_path: Path) -> None:
    done = _guard(host, "--available-floor", "5GiB", "--", "touch", str(tmp_path / "started"))

    assert done.code == 4
    assert "below the floor of 5.0 GiB" in done.err
    assert "nothing was started" in done.err
    assert not (tmp_path / "started").exists()


def test_the_engine_is_ended_by_its_own_number(host: Path, sleeper: subprocess.Popen[bytes]) -> None:
    same_name = subprocess.Popen(_SLEEPER)
    try:
        done = _guard(host, "--stop-engine", str(sleeper.pid), *_eat(host, "fast"))

        assert done.code == 4
        assert f"engine: process {sleeper.pid} (" in done.err
        assert sleeper.wait(timeout=_GENEROUS_S) == -signal.SIGTERM
        assert same_name.poll() is None, "it has the same name, and is none of ours"
    finally:
        same_name.kill()
        same_name.wait()


def test_a_node_that_cannot_be_watched_is_said_also_when_all_else_is_quiet() -> None:
    done = run_sparktune("guard", "--quiet", "--nodes", "no-such-host.invalid", "--", "true")

    assert "no-such-host.invalid is not watched now" in done.err


def test_the_engine_is_left_when_nothing_happens(host: Path, sleeper: subprocess.Popen[bytes]) -> None:
    assert _guard(host, "--stop-engine", str(sleeper.pid), "--", "true").code == 0
    assert sleeper.poll() is None


def test_an_engine_is_found_by_the_port_that_it_listens_on(host: Path) -> None:
    script = "import socket,time; s=socket.create_server(('127.0.0.1',0)); print(s.getsockname()[1],flush=True)"
    with _engine(f"{script}; time.sleep(300)") as (engine, port):
        done = _guard(host, "--stop-engine", f"http://127.0.0.1:{port}/v1", *_eat(host, "fast"))

        assert done.code == 4
        assert engine.wait(timeout=_GENEROUS_S) == -signal.SIGTERM


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--stop-engine", "99999999"), "there is no process 99999999"),
        (("--stop-engine", "no-such-container"), "is no process id and no container that runs"),
        (("--stop-engine", "http://10.1.2.3:8000"), "is not on this machine"),
        (("--available-floor", "lots"), "--available-floor: a size is wanted, not 'lots'"),
        (("--swap-pages", "1.5"), "--swap-pages: a whole number"),
        (("--available-floor", ""), "--available-floor: a size is wanted, not ''"),
        (("--temperature", "-1"), "a limit that is not to count is off"),
        (("--foreign-gpu", "maybe"), "--foreign-gpu: on or off"),
        (("--stop-engine", ""), "no engine is named"),
        (("--stop-engine", "1"), "this program itself runs in it"),
        (("--stop-engine", str(os.getpid())), "this program itself runs in it"),
        (("--phase", "tail"), "--phase 'tail' is none of load, starting"),
        (("--lost-node", "ignore"), "neither say nor stop"),
        (("--", "/no/such/program"), "/no/such/program cannot be started"),
    ],
)
def test_mistakes_are_said(host: Path, words: tuple[str, ...], said: str) -> None:
    done = _guard(host, *words, *([] if words[0] == "--" else ["--", "true"]))

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

    done = _guard(host, "--", "sh", "-c", script)

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

    done = _guard(host, "--", "sleep", "1.2")

    assert done.code == 0
    assert "spark1: 5 lines of the GPU's driver say NV_ERR_NO_MEMORY (0x51) in the kernel's log already" in done.err


@pytest.mark.slow
def test_somebody_else_on_the_gpu_is_told_from_the_engine(
    tmp_path: Path, sleeper: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """nvidia-smi lists both; only the one that is not the engine, nor below it, ends the load."""
    listed = tmp_path / "listed"
    listed.write_text(f"{sleeper.pid}, /usr/bin/python3, 90000\n")
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\ncase $1 in --query-compute-apps*) cat {listed};; *) exit 9;; esac\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    words = ("guard", "--nodes", "local", "--available-floor", "1MiB", "--stop-engine", str(sleeper.pid), "--")

    alone = run_sparktune(*words, "sleep", "2.5")
    listed.write_text(f"{sleeper.pid}, /usr/bin/python3, 90000\n1, /usr/bin/other, 12288\n")
    beside = run_sparktune(*words, "sleep", "30")

    assert alone.code == 0, alone.err
    assert beside.code == 4
    assert "/usr/bin/other (pid 1) computes on the GPU, holds 12.0 GiB of it and is none of ours" in beside.err


def test_what_cannot_be_watched_is_said_once(host: Path) -> None:
    done = _guard(host, "--", "sleep", "3.5")

    assert done.err.count("driver-memory") == 1
    assert "spark1: not watched by driver-memory: /dev/kmsg: it is not there" in done.err


@pytest.mark.parametrize(("floor", "said"), [("3GiB", "so that a guard comes first"), ("100MiB", "it may come first")])
def test_the_limits_of_earlyoom_are_said_beside_ours(host: Path, floor: str, said: str) -> None:
    """Whoever acts first decides whether there is evidence: earlyoom ends an engine without a trace in its log."""
    (show,) = (read.argv for read in EARLYOOM_READS if isinstance(read, ReadCommand))
    unit = "Id=earlyoom.service\nLoadState=loaded\nActiveState=active\nUnitFileState=enabled\n"
    (host / "commands").mkdir()
    (host / "commands" / f"{command_slug(show)}.txt").write_text(unit)
    (host / "etc/default").mkdir(parents=True)
    (host / "etc/default/earlyoom").write_text('EARLYOOM_ARGS="-m 2 -s 80 --prefer (vllm|sglang)"\n')

    done = _guard(host, "--available-floor", floor, "--", "true")

    assert "guard: spark1: earlyoom is active (-m 2 -s 80 --prefer" in done.err
    assert said in done.err


@pytest.mark.slow
def test_an_endpoint_that_answers_no_more(host: Path) -> None:
    script = (
        "import http.server; s=http.server.HTTPServer(('127.0.0.1',0),http.server.BaseHTTPRequestHandler);"
        "print(s.server_address[1],flush=True); s.serve_forever()"
    )
    with _engine(script) as (server, port):
        stop = f"sleep 2.5; kill {server.pid}; sleep 60"
        done = _guard(host, "--endpoint", f"http://127.0.0.1:{port}", "--unanswered-s", "3", "--", "sh", "-c", stop)

        assert done.code == 4
        assert "endpoint-lost: the endpoint has not answered for" in done.err


def test_an_interrupt_goes_to_the_command_which_decides(host: Path, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    script = f"trap 'exit 9' INT; touch {ready}; while :; do sleep 0.05; done"
    with _started(host, "--", "sh", "-c", script) as process:
        _await(ready)
        process.send_signal(signal.SIGINT)

        assert process.wait(timeout=30) == 9


def test_without_a_command_it_watches_until_it_is_interrupted(host: Path) -> None:
    with _started(host, "--json") as process:
        _await_watching(process)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=30)

    report: dict[str, Any] = json.loads(out)
    assert process.returncode == 130
    assert report["interrupted"]
    assert report["command"] is None
    assert report["trip"] is None


def test_without_a_command_a_limit_ends_the_watch(host: Path) -> None:
    with _started(host) as process:
        _await_watching(process)
        (host / "proc/meminfo").write_text(_MEMINFO.replace("MemAvailable: 4194304", "MemAvailable: 1048576"))
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


def _started(host: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "sparktune", "guard", "--nodes", f"{host}/", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@contextmanager
def _engine(script: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a program that prints its port first."""
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


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


def _alive_with(word: str) -> list[int]:
    """Return the processes whose working folder or command line has a word, but not this one."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if word in text and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found
