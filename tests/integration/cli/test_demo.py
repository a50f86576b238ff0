"""``sparktune demo`` with a real but tiny model: from nothing to a verdict or a table, and nothing left behind."""

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


@pytest.mark.timeout(300)  # ten servers, on a machine that does other things
def test_decides_about_slots_and_keeps_the_experiment(tiny_model: Path, tmp_path: Path) -> None:
    """Whatever the noise: an experiment of the declared design, both settings read from the server itself."""
    model = _own_copy(tiny_model, tmp_path)
    done = subprocess.run([*_DEMO, "--model", str(model), "--json"], capture_output=True, text=True, check=False)

    assert done.returncode in _MEASURED, done.stderr
    assert "Traceback" not in done.stderr
    result = json.loads(done.stdout)
    assert result["verdict"] in {"IMPROVED", "INCONCLUSIVE", "INVALID"}, result["sentence"]
    assert result["primary"] == "ttft_max_s"
    assert result["experiment"]["knob"] == "--parallel"
    live = {(visit["arm"], visit["live_before"]["/props total_slots"]) for visit in result["visits"]}
    both = {("A", "1"), ("B", "4")}
    assert live <= both
    # Under load so heavy that it is void from its first visit on, there is no second one.
    assert live == both or result["verdict"] == "INVALID", (result["sentence"], done.stderr)
    assert "nothing does now" in result["afterwards"]
    assert "sparktune ab FILE.yaml" in done.stderr
    assert _server_processes(model) == []

    listed = subprocess.run(
        [sys.executable, "-m", "sparktune", "ab", "list"], capture_output=True, text=True, check=True
    )
    assert result["run"] in listed.stdout


def test_the_table_of_bench_is_one_flag_away(tiny_model: Path, tmp_path: Path) -> None:
    model = _own_copy(tiny_model, tmp_path)
    done = subprocess.run(
        [*_DEMO, "--bench", "--model", str(model), "--json"], capture_output=True, text=True, check=False
    )

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


def test_what_is_saved_is_the_table(tmp_path: Path) -> None:
    done = subprocess.run([*_DEMO, "--save", str(tmp_path / "x.md")], capture_output=True, text=True, check=False)

    assert done.returncode == ExitCode.USAGE
    assert done.stderr.startswith("error: --save is for the table of --bench\n")


@pytest.mark.parametrize("more", [(), ("--bench",)], ids=["ab", "bench"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_an_interrupted_demo_takes_its_server_with_it(
    number: signal.Signals, more: tuple[str, ...], tiny_model: Path, tmp_path: Path
) -> None:
    """Also a killed one, which could not end anything any more."""
    model = _own_copy(tiny_model, tmp_path)
    with subprocess.Popen(
        [*_DEMO, *more, "--model", str(model)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
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
    assert demo.returncode in (ExitCode.INTERRUPTED, -signal.SIGTERM, -signal.SIGKILL), complaints
    assert "Traceback" not in complaints


def test_a_model_that_is_not_there_is_one_line_and_a_hint(tmp_path: Path) -> None:
    done = subprocess.run([*_DEMO, "--model", str(tmp_path / "none.gguf")], capture_output=True, text=True, check=False)

    assert done.returncode == ExitCode.USAGE
    assert done.stderr == (
        f"error: no model file at {tmp_path}/none.gguf\n"
        "hint: --model takes a .gguf file; leave it out for the small model of the demo\n"
    )


def test_what_is_no_model_is_said_before_a_server_is_started(tmp_path: Path) -> None:
    """An experiment that fails at its first start, minutes later, is no way to learn of a wrong path."""
    page = tmp_path / "model.gguf"
    page.write_text("<html>404</html>")
    done = subprocess.run([*_DEMO, "--model", str(page)], capture_output=True, text=True, check=False)

    assert done.returncode == ExitCode.USAGE
    assert done.stderr.startswith(f"error: {page} is no model: it does not begin with GGUF\n")
