"""Real engines: idle ones sleep and are not reported; one that computes is left alone.

The programs ``llama-server`` and ``ggml-rpc-server`` are looked for in SPARKTUNE_LLAMA_SERVER, SPARKTUNE_RPC_SERVER and
PATH; what is not there is skipped. llama.cpp's server inside a Python process is of the demo's packages.
"""

import contextlib
import itertools
import json
import os
import shutil
import socket
import subprocess
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.ports import free_port

from sparktune.errors import MissingPart
from sparktune.flows.place.scan import scan_nodes
from sparktune.io.cluster import NodeTarget
from sparktune.io.demo_server import DemoServer, find_model, serve
from sparktune.model.place import Poller, PollerVerdict

_STARTS_S = 60.0
_LONG = "Once upon a time there was a fox. " * 800  # some seconds of reading for one thread


def _program(variable: str, *names: str) -> str:
    found = os.environ.get(variable) or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip(f"no {names[0]} in PATH, and {variable} names none")
    return found


def _await_port(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _STARTS_S
    while time.monotonic() < end:
        assert process.poll() is None, "it ended while it started"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    pytest.fail("it does not listen")


@contextmanager
def _running(*command: str, port: int, log: Path) -> Iterator[int]:
    """Run a server until the block ends; hand out its process number when it listens."""
    with log.open("wb") as sink, subprocess.Popen(command, stdout=sink, stderr=sink) as process:
        try:
            _await_port(port, process)
            yield process.pid
        finally:
            process.kill()


def _scan(pid: int, endpoint: str) -> list[Poller]:
    """Return what is said of one process's threads."""
    (node,) = scan_nodes([NodeTarget(name="here")], windows=3, window_s=1.0, endpoint=endpoint).nodes
    assert node.failure == ""
    assert node.threads > 0
    return [poller for poller in node.pollers if poller.thread.pid == pid]


def _await_health(port: int) -> None:
    end = time.monotonic() + _STARTS_S
    while time.monotonic() < end:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
            return
        time.sleep(0.1)
    pytest.fail("its model does not load")


def _server_command(port: int, model: Path, *more: str) -> tuple[str, ...]:
    program = _program("SPARKTUNE_LLAMA_SERVER", "llama-server")
    address = ("--host", "127.0.0.1", "--port", str(port))
    return (program, "-m", str(model), *address, "--metrics", "-c", "2048", "-np", "2", "-t", "1", *more)


def test_an_idle_server_in_python_is_not_reported(llama_server: DemoServer) -> None:
    assert _scan(llama_server.pid, llama_server.base_url) == []


def test_an_idle_llama_server_is_not_reported(tiny_model: Path, tmp_path: Path) -> None:
    port = free_port()
    with _running(*_server_command(port, tiny_model), port=port, log=tmp_path / "log") as pid:
        _await_health(port)
        assert _scan(pid, f"http://127.0.0.1:{port}/v1") == []


def test_an_idle_rpc_server_is_not_reported(tmp_path: Path) -> None:
    program, port = _program("SPARKTUNE_RPC_SERVER", "ggml-rpc-server", "rpc-server"), free_port()
    with _running(program, "-H", "127.0.0.1", "-p", str(port), "-t", "1", port=port, log=tmp_path / "log") as pid:
        assert _scan(pid, "") == []
        with socket.create_connection(("127.0.0.1", port)):  # one that is connected and asks for nothing
            assert _scan(pid, "") == []


def test_an_idle_pair_of_llama_server_and_rpc_server_is_not_reported(tiny_model: Path, tmp_path: Path) -> None:
    """The cluster of two over TCP: the client holds its connection open, and both sleep."""
    program, far, port = _program("SPARKTUNE_RPC_SERVER", "ggml-rpc-server", "rpc-server"), free_port(), free_port()
    command = _server_command(port, tiny_model, "--rpc", f"127.0.0.1:{far}", "-ngl", "99")
    asked = (command[0], "--rpc", "127.0.0.1:1", "--version")
    tried = subprocess.run(asked, capture_output=True, text=True, check=False)
    if "not supported" in tried.stdout + tried.stderr:
        pytest.skip("this llama-server was built without RPC")
    worker = (program, "-H", "127.0.0.1", "-p", str(far), "-t", "1")
    with (
        _running(*worker, port=far, log=tmp_path / "rpc.log") as rpc_pid,
        _running(*command, port=port, log=tmp_path / "server.log") as pid,
    ):
        _await_health(port)
        _complete(f"http://127.0.0.1:{port}/v1", 4)
        assert "accepted client connection" in (tmp_path / "rpc.log").read_text(errors="replace").lower()
        endpoint = f"http://127.0.0.1:{port}/v1"
        assert _scan(rpc_pid, endpoint) == []
        assert _scan(pid, endpoint) == []


@pytest.mark.parametrize("is_told", [True, False], ids=["endpoint", "no endpoint"])
def test_a_server_that_computes_is_left_alone(tmp_path: Path, *, is_told: bool) -> None:
    """It reads a long prompt and wants a whole core, as a poller does; only the requests tell that it works."""
    try:
        model = find_model(None)
    except MissingPart as error:
        pytest.skip(str(error))
    with serve(model, log=tmp_path / "log", slots=1, context_tokens=8192) as server:
        over = threading.Event()
        asker = threading.Thread(target=_keep_asking, args=(server.base_url, over), daemon=True)
        asker.start()
        _await_work(server.base_url)
        found = _scan(server.pid, server.base_url if is_told else "")
        over.set()

    assert found
    expected = {PollerVerdict.UNDER_LOAD} if is_told else {PollerVerdict.LIKELY}
    assert {poller.verdict for poller in found} == expected
    if is_told:
        assert all("do not move it" in poller.then for poller in found)


def _keep_asking(base_url: str, over: threading.Event) -> None:
    """Ask for long prompts, each begun anew so that no cache answers it, as long as somebody scans."""
    for number in itertools.count():
        if over.is_set():
            return
        _complete(base_url, 1, f"{number} {_LONG}")


def _complete(base_url: str, tokens: int, prompt: str = "Once upon a time") -> None:
    body = {"prompt": prompt, "max_tokens": tokens, "ignore_eos": True, "temperature": 0}
    request = urllib.request.Request(
        f"{base_url}/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with contextlib.suppress(OSError), urllib.request.urlopen(request, timeout=600) as answer:
        answer.read()


def _await_work(base_url: str) -> None:
    end = time.monotonic() + _STARTS_S
    while time.monotonic() < end:
        with urllib.request.urlopen(base_url.removesuffix("/v1") + "/metrics", timeout=30) as answer:
            lines = answer.read().decode().splitlines()
        if any(line.split()[0] == "llamacpp:requests_processing" and float(line.split()[1]) > 0 for line in lines):
            return
        time.sleep(0.1)
    pytest.fail("the request is not being served")
