"""``place trial`` on this machine: its agent moves a thread that really spins, and a kill leaves a way back."""

import itertools
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.ab import GUARD
from tests.support.cli import run_sparktune, start_sparktune
from tests.support.idle_worlds import spinner
from tests.support.ports import free_port
from tests.support.reference import reference, reference_process

from sparktune.io.reference.process import ReferenceProcess
from sparktune.io.store.store import Store

__all__ = ["reference", "reference_process"]

pytestmark = [
    pytest.mark.root,  # the agent journals its transactions on this machine
    pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores to tell the arms apart"),
]
_zones = pytest.mark.skipif(
    not Path("/sys/class/thermal").is_dir() or shutil.which("unshare") is None,
    reason="needs unshare, and a kernel with thermal zones to lay a folder over",
)
_REPOSITORY = Path(__file__).resolve().parents[2]
_PACED = _REPOSITORY / "tests/support/paced_server.py"
_LOAD = ("--load-only", "--prompt-tokens", "32", "--output-tokens", "8", "--trials", "1", "--load-settle", "0")


@pytest.fixture
def spinning() -> Iterator[subprocess.Popen[bytes]]:
    """A process whose only thread spins."""
    with spinner() as process:
        yield process


@pytest.fixture(autouse=True)
def _unwatched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards that neither wait nor stop for what else this machine does."""
    (tmp_path / "sparktune.yaml").write_text(json.dumps({"guard": GUARD}))
    monkeypatch.chdir(tmp_path)


def _core(pid: int) -> str:
    return str(max(os.sched_getaffinity(pid)))


@pytest.fixture
def heat(tmp_path: Path, spinning: subprocess.Popen[bytes]) -> Iterator[Path]:
    """A folder of thermal zones: the machine is 5 C cooler while the thread has one core only."""
    zone = tmp_path / "thermal" / "thermal_zone0"
    zone.mkdir(parents=True)
    (zone / "type").write_text("acpitz\n")
    (zone / "temp").write_text("57000\n")
    over = threading.Event()

    def follow() -> None:
        for grain in itertools.cycle((0, 100, 50, -100)):
            if over.wait(0.05):
                return
            moved = len(os.sched_getaffinity(spinning.pid)) == 1
            (zone / "temp.new").write_text(f"{57000 - 5000 * moved + grain}\n")
            (zone / "temp.new").replace(zone / "temp")

    writer = threading.Thread(target=follow)
    writer.start()
    yield zone.parent
    over.set()
    writer.join()


def _heated(heat: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start the program where these zones are those of the machine, for it and what it starts alone."""
    inner = shlex.join([sys.executable, "-m", "sparktune", "place", "trial", *arguments])
    script = f"mount --bind {shlex.quote(str(heat))} /sys/class/thermal && exec {inner}"
    argv = ["unshare", "--mount", "--propagation", "private", "sh", "-c", script]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _until(is_so: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline_s
        time.sleep(0.02)


@pytest.mark.slow
@_zones
def test_a_thread_that_heats_is_proved_to_from_the_kernels_own_files(
    spinning: subprocess.Popen[bytes], heat: Path
) -> None:
    before = os.sched_getaffinity(spinning.pid)
    flags = ("--cpus", _core(spinning.pid), "--accept-likely", "--yes", "--json", "--settle", "1s", "--window", "1s")

    with _heated(heat, str(spinning.pid), *flags, "--max-blocks", "3") as process:
        out, err = process.communicate(timeout=110)

    assert process.returncode == 0, err
    found = json.loads(out)
    assert found["idle"]["verdict"] == "IMPROVED"
    assert found["idle"]["sensor"] == "hottest zone"
    assert found["idle"]["effect"]["mean"] == pytest.approx(-5, abs=0.5)
    assert found["load_why"] == "no --endpoint and no --service"
    assert found["next"][0].startswith("before you keep it, see what it costs")
    assert os.sched_getaffinity(spinning.pid) == before


@_zones
def test_an_end_by_sigterm_gives_the_thread_back(spinning: subprocess.Popen[bytes], heat: Path) -> None:
    before = os.sched_getaffinity(spinning.pid)
    flags = ("--cpus", _core(spinning.pid), "--accept-likely", "--yes", "--settle", "300s", "--seed", "2")

    with _heated(heat, str(spinning.pid), *flags, "--max-blocks", "1") as process:
        assert process.stderr is not None
        line = next(line for line in process.stderr if "block 1 of 1" in line)
        assert "the thread moved" in line, "this seed begins with arm B"
        _until(lambda: len(os.sched_getaffinity(spinning.pid)) == 1)
        process.terminate()
        _out, err = process.communicate(timeout=110)

    assert process.returncode == 130, err
    assert "the thread has the CPUs that it had" in err
    assert os.sched_getaffinity(spinning.pid) == before


def test_what_a_kill_left_is_named_and_taken_back(spinning: subprocess.Popen[bytes]) -> None:
    before = os.sched_getaffinity(spinning.pid)
    argv = [sys.executable, "-m", "tests.support.killed_trial", str(spinning.pid)]
    ended = subprocess.run(argv, cwd=_REPOSITORY, capture_output=True, text=True, timeout=100, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert os.sched_getaffinity(spinning.pid) != before

    another = run_sparktune("place", "trial", str(spinning.pid), "--cpus", _core(spinning.pid), "--yes")
    shown = run_sparktune("place", "trial", "--show", "last")
    undone = run_sparktune("place", "trial", "--undo", "--yes")

    assert another.code == 2
    assert "was killed, and its thread is still moved" in another.err
    assert "sparktune place trial --undo" in another.err
    assert "MAY STILL HAVE CPUs" in shown.out
    assert undone.code == 0
    assert os.sched_getaffinity(spinning.pid) == before
    assert "nothing of a trial is left" in run_sparktune("place", "trial", "--undo", "--yes").err


@pytest.mark.slow
def test_under_load_an_experiment_tells_what_moving_costs(
    spinning: subprocess.Popen[bytes], reference: ReferenceProcess
) -> None:
    """One block proves nothing, and says so; the thread is as it was, and the trial is printed again from the store."""
    before = os.sched_getaffinity(spinning.pid)
    thread = ("place", "trial", str(spinning.pid), "--cpus", _core(spinning.pid), "--accept-likely", "--yes", "--json")

    found = run_sparktune(*thread, "--endpoint", reference.base_url, *_LOAD, "--max-blocks", "1")

    assert found.code == 5, found.err
    load = found.json["load"]
    assert (load["metric"], load["not_lower"], load["verdict"]) == ("output_tok_s", "not shown", None)
    assert {guard["metric"] for guard in load["guards"]} == {"decode_tok_s", "ttft_s"}
    assert found.json["idle"] is None
    assert found.json["idle_why"] == "--load-only"
    assert os.sched_getaffinity(spinning.pid) == before
    again = run_sparktune("place", "trial", "--show", found.json["trial"], "--json")
    assert (again.code, again.json["load"]) == (5, load)
    assert run_sparktune("ab", "show", load["experiment"]).code == 5


@pytest.fixture
def minding(spinning: subprocess.Popen[bytes]) -> Iterator[str]:
    """Where a server answers that takes twelve times as long while the thread is moved: it looks, nothing is timed."""
    port = free_port()
    argv = [sys.executable, str(_PACED), str(port), "--itl-ms", "30", "--minds", str(spinning.pid)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        assert server.stdout.readline(), "it listens"
        yield f"http://127.0.0.1:{port}/v1"
        server.kill()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_moving_costs_under_load_is_said_before_anything_else(
    spinning: subprocess.Popen[bytes], minding: str
) -> None:
    """Both guards are harmed, and the next step is to leave the thread alone: never to pin it."""
    before = os.sched_getaffinity(spinning.pid)
    thread = ("place", "trial", str(spinning.pid), "--cpus", _core(spinning.pid), "--accept-likely", "--yes", "--json")

    found = run_sparktune(*thread, "--endpoint", minding, *_LOAD, "--max-blocks", "5", limit_s=550)

    assert found.code == 0, found.err  # it was decided
    load = found.json["load"]
    assert (load["verdict"], load["not_lower"]) == ("REGRESSED", "lower")
    assert {one["metric"]: one["status"] for one in load["guards"]} == {"decode_tok_s": "harmed", "ttft_s": "harmed"}
    assert found.json["next"][0] == "leave it as it is: moving it costs speed"
    assert os.sched_getaffinity(spinning.pid) == before
    shown = " ".join(run_sparktune("place", "trial", "--show", "last").out.split())
    assert "under load output_tok_s is WORSE by more than 3.0 %, decode_tok_s WORSE by more than 3.0 %, ttft_s" in shown
    assert "place pin" not in shown


def test_ctrl_c_under_load_gives_the_thread_back(
    spinning: subprocess.Popen[bytes], reference: ReferenceProcess
) -> None:
    before = os.sched_getaffinity(spinning.pid)
    argv = ("place", "trial", str(spinning.pid), "--cpus", _core(spinning.pid), "--accept-likely", "--yes")
    with start_sparktune(*argv, "--endpoint", reference.base_url, *_LOAD, "--max-blocks", "8") as process:
        assert process.stderr is not None
        line = next(line for line in process.stderr if "setting arm B" in line)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=100)

    assert "of 8" in line
    assert process.returncode == 130, err
    assert os.sched_getaffinity(spinning.pid) == before
    with Store.open() as store:
        (row,) = store.list_experiments(5)
    go_on = f"the part under load was interrupted; go on with it: sparktune ab resume {row.id}"
    shown = run_sparktune("place", "trial", "--show", "last")
    assert go_on in " ".join(out.split())
    assert go_on in " ".join(shown.out.split())
    assert f"under load: experiment {row.id}" in shown.out
    assert "MAY STILL HAVE" not in shown.out
    assert shown.code == 5


@pytest.mark.slow
def test_what_a_kill_left_under_load_is_named_by_undo(
    spinning: subprocess.Popen[bytes], reference: ReferenceProcess
) -> None:
    """It is held by the experiment, not by the trial: who asks the trial must not hear that nothing is left."""
    before = os.sched_getaffinity(spinning.pid)
    argv = ("place", "trial", str(spinning.pid), "--cpus", _core(spinning.pid), "--accept-likely", "--yes")
    with start_sparktune(*argv, "--endpoint", reference.base_url, *_LOAD, "--max-blocks", "8") as process:
        _until(lambda: len(os.sched_getaffinity(spinning.pid)) == 1)
        process.kill()
    assert os.sched_getaffinity(spinning.pid) != before

    undone = run_sparktune("place", "trial", "--undo", "--yes")
    again = run_sparktune(*argv)
    with Store.open() as store:
        (row,) = store.list_experiments(5)
    shown = run_sparktune("place", "trial", "--show", "last", "--json")
    restored = run_sparktune("ab", "resume", row.id, "--restore-only")

    assert (undone.code, again.code, restored.code) == (1, 2, 0), restored.err
    assert f"sparktune ab resume {row.id} --restore-only" in undone.err
    assert f"sparktune ab resume {row.id} --restore-only" in again.err
    assert (shown.json["held"], shown.json["load"]["experiment"]) == (True, row.id)
    assert [line.rpartition(": ")[2] for line in shown.json["next"]] == [
        f"sparktune ab resume {row.id}",
        f"sparktune ab resume {row.id} --restore-only",
    ]
    assert os.sched_getaffinity(spinning.pid) == before
