"""The engine beside a guarded load: ended by its own number, left alone, and told from others on its GPU."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune
from tests.support.guard_runs import GENEROUS_S, SLEEPER, eat, program_on_a_port, run_guard


def test_the_engine_is_ended_by_its_own_number(host: Path, sleeper: subprocess.Popen[bytes]) -> None:
    same_name = subprocess.Popen(SLEEPER)
    try:
        done = run_guard(host, "--stop-engine", str(sleeper.pid), *eat(host, "fast"))

        assert done.code == 4
        assert f"engine: process {sleeper.pid} (" in done.err
        assert sleeper.wait(timeout=GENEROUS_S) == -signal.SIGTERM
        assert same_name.poll() is None, "it has the same name, and is none of ours"
    finally:
        same_name.kill()
        same_name.wait()


def test_the_engine_is_left_when_nothing_happens(host: Path, sleeper: subprocess.Popen[bytes]) -> None:
    assert run_guard(host, "--stop-engine", str(sleeper.pid), "--", "true").code == 0
    assert sleeper.poll() is None


def test_an_engine_is_found_by_the_port_that_it_listens_on(host: Path) -> None:
    script = "import socket,time; s=socket.create_server(('127.0.0.1',0)); print(s.getsockname()[1],flush=True)"
    with program_on_a_port(f"{script}; time.sleep(300)") as (engine, port):
        done = run_guard(host, "--stop-engine", f"http://127.0.0.1:{port}/v1", *eat(host, "fast"))

        assert done.code == 4
        assert engine.wait(timeout=GENEROUS_S) == -signal.SIGTERM


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


@pytest.mark.slow
def test_an_endpoint_that_answers_no_more(host: Path) -> None:
    script = (
        "import http.server; s=http.server.HTTPServer(('127.0.0.1',0),http.server.BaseHTTPRequestHandler);"
        "print(s.server_address[1],flush=True); s.serve_forever()"
    )
    with program_on_a_port(script) as (server, port):
        stop = f"sleep 2.5; kill {server.pid}; sleep 60"
        done = run_guard(host, "--endpoint", f"http://127.0.0.1:{port}", "--unanswered-s", "3", "--", "sh", "-c", stop)

        assert done.code == 4
        assert "endpoint-lost: the endpoint has not answered for" in done.err
