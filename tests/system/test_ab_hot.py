"""A setting of the machine without a restart: the cores of a running server, applied and undone by the agent."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.ab import GUARD, WORKLOAD, result_of, run_experiment, write_experiment
from tests.support.cli import run_sparktune
from tests.support.reference import reference, reference_process

from sparktune.io.reference.process import ReferenceProcess
from sparktune.io.store import Store

__all__ = ["reference", "reference_process"]

pytestmark = [
    pytest.mark.root,  # the agent journals its transactions on this machine
    pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores to tell the arms apart"),
]
_ROOT = Path(__file__).resolve().parents[2]


def _pinned(reference: ReferenceProcess) -> dict[str, Any]:
    """Return an experiment whose arm B keeps the server's thread on one of its cores."""
    start = int(Path(f"/proc/{reference.pid}/stat").read_text().rpartition(")")[2].split()[19])
    task = {"pid": reference.pid, "tid": reference.pid, "start_time": start}
    core = min(os.sched_getaffinity(reference.pid))
    return {
        "url": reference.base_url,
        "launcher": "hot",
        "knob": "cores of the server",
        "a": {},
        "b": {"steps": [{"kind": "affinity", "tasks": [task], "cpus": [core]}]},
        "workload": WORKLOAD,
        "settle_s": 0,
        "guard": GUARD,
        "seed": 1,
        "max_blocks": 1,
    }


def test_cores_are_set_read_back_and_given_back(tmp_path: Path, reference: ReferenceProcess) -> None:
    before = os.sched_getaffinity(reference.pid)
    result = result_of(run_experiment(tmp_path, _pinned(reference)))

    assert {visit["state"] for visit in result["visits"]} == {"done"}
    assert result["visits"][0]["live_before"] != result["visits"][1]["live_before"]
    assert "the original (arm A) is live" in result["afterwards"]
    assert os.sched_getaffinity(reference.pid) == before


def test_killed_while_the_cores_are_set_resume_gives_them_back(tmp_path: Path, reference: ReferenceProcess) -> None:
    before = os.sched_getaffinity(reference.pid)
    content = _pinned(reference)
    path = write_experiment(tmp_path, content)
    argv = [sys.executable, "-m", "tests.integration.ab.child", "add_trial:8", "ab", str(path), "--yes", "--quiet"]
    ended = subprocess.run(argv, cwd=_ROOT, capture_output=True, text=True, timeout=60, check=False)
    with Store.open() as store:
        (row,) = store.list_experiments(5)
        last = store.visits(row.id)[-1]
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert last.arm.value == "B"
    assert os.sched_getaffinity(reference.pid) != before

    finished = run_sparktune("ab", "resume", row.id, "--restore-only")

    assert finished.code == 0, finished.err
    assert os.sched_getaffinity(reference.pid) == before
