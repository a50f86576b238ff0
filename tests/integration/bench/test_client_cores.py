"""Where the client of ``bench`` measures: beside a server on the same machine not on the cores that are fast.

A machine that tests run on may have one type of cores: which of its CPUs count as fast and slow is told to the client.
"""

import json
import os
import subprocess
import sys

import pytest
from tests.support.cli import Finished, run_sparktune

from sparktune.io.reference.process import ReferenceProcess

_FLAGS = ("--pp", "8", "--tg", "4", "--trials", "1", "--warmup", "off")
_SPLIT = """
import sys
from sparktune.cli import _client_cores
from sparktune.cli.app import main
from sparktune.host.core_types import CoreSplit
from sparktune.model.observed import present
fast, slow = map(int, sys.argv.pop(1).split(","))
split = CoreSplit(performance=frozenset({fast}), efficiency=frozenset({slow}), basis="a test")
_client_cores.core_split = lambda: present(split)
main()
"""


def _two_cpus() -> tuple[int, int]:
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        pytest.skip("this process may use one CPU alone")
    return allowed[0], allowed[-1]


def _on_two_types(fast: int, slow: int, *words: str) -> Finished:
    command = [sys.executable, "-c", _SPLIT, f"{fast},{slow}", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    return Finished(code=done.returncode, out=done.stdout, err=done.stderr)


def _measured_on() -> set[int]:
    lines = run_sparktune("runs", "export", "--raw").out.splitlines()
    waves = [record for record in map(json.loads, lines) if record["type"] == "wave"]
    assert waves
    return {core for wave in waves for core in wave["health"]["cores"]}


def test_beside_the_server_it_takes_efficiency_cores_and_says_so(reference: ReferenceProcess) -> None:
    fast, slow = _two_cpus()

    done = _on_two_types(fast, slow, "bench", reference.base_url, *_FLAGS)

    assert done.code == 0, done.err
    assert f"the client measures on efficiency cores {slow}" in " ".join(done.err.split())
    assert _measured_on() == {slow}


def test_keep_forbids_it(reference: ReferenceProcess) -> None:
    fast, slow = _two_cpus()

    done = _on_two_types(fast, slow, "bench", reference.base_url, *_FLAGS, "--client-cores", "keep")

    assert done.code == 0, done.err
    assert "efficiency" not in done.err


def test_a_list_is_kept_to(reference: ReferenceProcess) -> None:
    first, _last = _two_cpus()

    done = run_sparktune("bench", reference.base_url, *_FLAGS, "--client-cores", str(first))

    assert done.code == 0, done.err
    assert _measured_on() == {first}


@pytest.mark.parametrize("command", ["bench", "calibrate"])
def test_what_cannot_be_had_is_refused_before_anything_is_measured(command: str, reference: ReferenceProcess) -> None:
    words = [reference.base_url] if command == "bench" else ["--quick"]

    done = run_sparktune(command, *words, "--client-cores", "60000")

    assert done.code == 2
    assert "CPUs 60000 are not among those that it may use" in " ".join(done.err.split())
