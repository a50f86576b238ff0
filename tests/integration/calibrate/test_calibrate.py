"""The calibration end to end: real server, real client, real decoder. Figures are this machine's and not asserted."""

import json
import subprocess
import sys

import pytest

from sparktune.flows.calibrate import CalibrationPlan, calibrate
from sparktune.flows.reference_load import run_load
from sparktune.io.reference.process import ReferenceProcess
from sparktune.model.calibration import Limit, Load

_TINY = CalibrationPlan(
    concurrency=(1, 3), itl_s=0.002, chunks=20, waves=2, step_rates=(1000,), step_streams=4, step_s=0.1
)


def test_plan_is_carried_out() -> None:
    said: list[str] = []
    result = calibrate(_TINY, said.append)

    assert [point.load.concurrency for point in result.points] == [1, 3]
    assert [(point.accuracy.requests, point.accuracy.failed) for point in result.points] == [(2, 0), (6, 0)]
    assert [point.accuracy.chunks for point in result.points] == [40, 120]
    assert all(point.accuracy.stamp_s and point.accuracy.ttft_s and point.accuracy.rate for point in result.points)
    assert said[0] == "1 streams at 500 chunks/s"
    assert result.knee.limit in Limit


def test_chunks_lost_on_the_way_are_no_success() -> None:
    """The judge must not be fooled by a client that saw only a part."""
    with ReferenceProcess() as server:
        server.configure(errchunk_every=2)
        result = run_load(server, Load(concurrency=4, ttft_s=0.02, itl_s=0.001, chunks=10))

    assert (result.accuracy.requests, result.accuracy.failed, result.accuracy.chunks) == (4, 2, 20)


def test_command_prints_json_and_keeps_progress_on_stderr() -> None:
    argv = [sys.executable, "-m", "sparktune", "calibrate", "--quick", "--json", "--concurrency", "2"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=100, check=False)
    record = json.loads(done.stdout)

    assert done.returncode == 0
    assert [point["concurrency"] for point in record["points"]] == [2]
    assert "calibrating: 2 streams" in done.stderr


def test_command_refuses_a_bad_list() -> None:
    argv = [sys.executable, "-m", "sparktune", "calibrate", "--concurrency", "0"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)

    assert done.returncode == 2
    assert "--concurrency" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
def test_streams_that_cannot_be_opened_are_no_calibration(form: tuple[str, ...]) -> None:
    """With 40 open files a client of 64 streams was said to have no error to speak of, with exit code 0."""
    few = ["/bin/sh", "-c", 'ulimit -n 40 && exec "$0" "$@"']
    argv = [*few, sys.executable, "-m", "sparktune", "calibrate", "--quick", "--concurrency", "64", *form]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=100, check=False)

    assert done.returncode == 1
    (said,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert "64 streams at 6,400 chunks/s: " in said
    assert "of 64 requests did not end well (connect: " in said
    assert "Traceback" not in done.stderr
    assert done.stdout
