"""A link that goes down in the middle of a stream, on real interfaces: nothing is lost, and the failure has a name."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.support.hosts import FAR_ADDRESS, Hosts

from sparktune.errors import ExitCode

pytestmark = pytest.mark.root

_SPARKTUNE = (sys.executable, "-m", "sparktune")
# The reference server listens on the loopback address by itself; here its loop gets a listener on the cable.
_SERVER = """
import socket, sys
from sparktune.io.reference.knobs import Knobs
from sparktune.io.reference.loop import Loop
listener = socket.create_server((sys.argv[1], 0))
never, _keep = socket.socketpair()
print(listener.getsockname()[1], flush=True)
Loop(listener, Knobs(ttft_ms=20, itl_ms=10), stop_fd=never.fileno(), parent_fd=sys.stdin.fileno()).run()
"""
_STREAMING_BYTES = 40_000  # far more than questions about the server and its tokenizer bring


@contextmanager
def _server(hosts: Hosts) -> Iterator[str]:
    command = hosts.on(hosts.far, sys.executable, "-c", _SERVER, FAR_ADDRESS)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield f"http://{FAR_ADDRESS}:{int(server.stdout.readline())}/v1"
        server.terminate()


def _answer(*words: str) -> dict[str, object]:
    done = subprocess.run((*_SPARKTUNE, *words), capture_output=True, text=True, check=False)

    assert "Traceback" not in done.stderr
    return dict(json.loads(done.stdout))


def test_a_link_that_goes_down_is_a_stall_and_the_run_is_kept(hosts: Hosts) -> None:
    load = (
        "--prompt-tokens",
        "64",
        "--output-tokens",
        "5000",
        "--concurrency",
        "2",
        "--trials",
        "1",
        "--warmup",
        "off",
    )
    with _server(hosts) as url:
        bench = subprocess.Popen(
            hosts.on(hosts.near, *_SPARKTUNE, "bench", url, *load, "--stall", "1", "--json", "--quiet"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ,
        )
        while bench.poll() is None and hosts.received_bytes() < _STREAMING_BYTES:
            pass
        hosts.pull_cable()
        printed, complaints = bench.communicate()

    assert bench.returncode == ExitCode.FAILED, complaints
    assert "Traceback" not in complaints
    (cell,) = json.loads(printed)["cells"]
    assert cell["failures"] == {"stall": 2}
    assert cell["valid"] is False

    (run,) = _answer("runs", "list", "--json")["runs"]
    (kept,) = _answer("runs", "show", run["run"], "--json")["cells"]
    assert kept["failures"] == {"stall": 2}
