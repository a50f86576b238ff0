"""``sparktune demo`` with a real but tiny model: from nothing to a table, and nothing left behind."""

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sparktune.errors import ExitCode

_DEMO = (sys.executable, "-m", "sparktune", "demo")
# A model that answers in milliseconds varies enough on a busy machine to be called invalid, rightly.
_MEASURED = (ExitCode.DONE, ExitCode.NOT_CONCLUSIVE)


def _server_processes(model: Path) -> list[int]:
    """Return the ids of running server processes of a model; the model's folder is this test's own."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue  # it ended between the listing and the reading
        if "sparktune.io.demo_child" in words and str(model) in words:
            found.append(int(path.parent.name))
    return found


def _own_copy(tiny_model: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "demo-model.gguf"
    copy.write_bytes(tiny_model.read_bytes())
    return copy


def test_measures_one_two_and_four_streams_and_keeps_the_run(tiny_model: Path, tmp_path: Path) -> None:
    model = _own_copy(tiny_model, tmp_path)
    done = subprocess.run([*_DEMO, "--model", str(model), "--json"], capture_output=True, text=True, check=False)

    assert done.returncode in _MEASURED, done.stderr
    result = json.loads(done.stdout)
    assert [cell["concurrency"] for cell in result["cells"]] == [1, 2, 4]
    assert [cell["failures"] for cell in result["cells"]] == [{}, {}, {}]
    assert result["engine"]["name"] == "llamacpp"
    assert "sparktune bench http://HOST:PORT/v1" in done.stderr
    assert (Path(os.environ["SPARKTUNE_DATA"]) / "demo-server.log").stat().st_size > 0
    assert _server_processes(model) == []

    listed = subprocess.run(
        [sys.executable, "-m", "sparktune", "runs", "list"], capture_output=True, text=True, check=True
    )
    assert result["run"] in listed.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_an_interrupted_demo_takes_its_server_with_it(number: signal.Signals, tiny_model: Path, tmp_path: Path) -> None:
    model = _own_copy(tiny_model, tmp_path)
    with subprocess.Popen(
        [*_DEMO, "--model", str(model)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as demo:
        assert demo.stderr is not None
        while "fitting prompts" not in demo.stderr.readline():
            assert demo.poll() is None
        (pid,) = _server_processes(model)
        server = os.pidfd_open(pid)
        demo.send_signal(number)
        _, complaints = demo.communicate()
        try:
            # A pidfd becomes readable when the process has ended.
            ended, _, _ = select.select([server], [], [], 60)
        finally:
            os.close(server)

    assert ended
    # Before the first wave there is nothing to keep, and SIGTERM ends the program as it ends any other.
    assert demo.returncode in (ExitCode.INTERRUPTED, -signal.SIGTERM), complaints
    assert "Traceback" not in complaints


def test_a_model_that_is_not_there_is_one_line_and_a_hint(tmp_path: Path) -> None:
    done = subprocess.run([*_DEMO, "--model", str(tmp_path / "none.gguf")], capture_output=True, text=True, check=False)

    assert done.returncode == ExitCode.USAGE
    assert done.stderr == f"error: no model file at {tmp_path}/none.gguf\nhint: --model takes a .gguf file\n"
