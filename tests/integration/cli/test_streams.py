"""Terminals close, pipes lose their readers, disks fill up: none of it may cost a measurement or show a traceback."""

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.support.cli import run_sparktune, start_sparktune
from tests.support.reference import reference, reference_process
from tests.support.scripted_server import ScriptedServer, hold
from tests.support.scripted_server import signal as tell

from sparktune.io.reference.process import ReferenceProcess
from sparktune.io.store.store import Store
from sparktune.model.run import RunState

__all__ = ["reference", "reference_process"]

_COMMAND = f"{sys.executable} -m sparktune"
_QUICK = "--pp 32 --tg 4 --trials 1 --warmup off --json"


def _shell(line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, timeout=100, check=False
    )


@pytest.mark.parametrize("where", ["2>/dev/full", "2>&-", ">&-", ">&- 2>&- <&-", "| true"])
def test_a_stream_that_is_gone_does_not_cost_the_measurement(reference: ReferenceProcess, where: str) -> None:
    reference.reset()
    reference.configure(ttft_ms=1.0, itl_ms=1.0)
    done = _shell(f"{_COMMAND} bench {reference.base_url} {_QUICK} {where}")

    assert done.returncode in {0, 5}, done.stderr
    assert "Traceback" not in done.stderr + done.stdout
    assert "Exception ignored" not in done.stderr
    with Store.open() as store:
        assert store.newest_run().state is RunState.DONE
    if where.startswith("2>"):
        assert '"schema"' in done.stdout


def test_a_full_disk_behind_stdout_is_said(reference: ReferenceProcess) -> None:
    reference.reset()
    reference.configure(ttft_ms=1.0, itl_ms=1.0)
    done = _shell(f"{_COMMAND} bench {reference.base_url} {_QUICK} --quiet > /dev/full")

    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "error: the output cannot be written: No space left on device",
        "hint: free some space or write it elsewhere; runs and experiments are stored: sparktune runs list",
    ]
    with Store.open() as store:
        assert store.newest_run().state is RunState.DONE


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_before_anything_is_measured(number: signal.Signals) -> None:
    """A supervisor's SIGTERM ends a command that still waits for its server as Ctrl-C does."""
    asked = threading.Event()
    paths = ("/health", "/v1/models", "/version", "/props", "/metrics", "/get_server_info", "/server_info", "/slots")
    with (
        ScriptedServer({path: [tell(asked), hold()] for path in paths}) as server,
        start_sparktune("bench", f"http://127.0.0.1:{server.port}", "--quiet") as process,
    ):
        assert asked.wait(60)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)

    assert (process.returncode, out, err) == (130, "", "interrupted\n")


def test_a_folder_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    done = run_sparktune("bench")

    assert done.code == 2
    assert "error: the folder to look for sparktune.yaml in cannot be read" in done.err


def test_what_an_error_quotes_does_not_steer_the_terminal() -> None:
    done = run_sparktune("runs", "show", "\x1b[31mnone\x9b\n")

    assert done.code == 1
    assert done.err.startswith("error: ")
    assert not set(done.err) & {"\x1b", "\x9b"}
    assert [line.partition(":")[0] for line in done.err.splitlines()] == ["error", "hint"]
