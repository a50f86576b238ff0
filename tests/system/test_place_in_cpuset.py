"""What a cpuset forbids is refused with who has to be asked, and what it cuts without a word is noticed.

The kernel says "invalid argument" for the one and nothing for the other. This is its real cpuset, of version 1 or 2.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.support.named_spinner import POLLER, PROCESS, SPINNER

from sparktune.errors import ExitCode

pytestmark = [pytest.mark.root, pytest.mark.timeout(300)]

_WHICH = ("--process", PROCESS, "--thread", POLLER, "--accept-likely", "--windows", "1", "--window", "1s")
_V1, _V2 = Path("/sys/fs/cgroup/cpuset"), Path("/sys/fs/cgroup")


def _pin(*words: str) -> tuple[int, dict[str, Any], str]:
    command = (sys.executable, "-m", "sparktune", "place", "pin", *_WHICH, *words, "--nodes", "local", "--json")
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert "Traceback" not in done.stderr, done.stderr
    (report,) = json.loads(done.stdout)["nodes"]
    return done.returncode, report, done.stderr


@pytest.fixture(name="group")
def _group() -> Iterator[Path]:
    """Make a control group that leaves what is in it CPU 1."""
    if os.cpu_count() == 1:
        pytest.skip("needs two CPUs")
    root = _V1 if _V1.is_dir() else _V2
    group = root / "sparktune-test"
    try:
        if root is _V2:
            (root / "cgroup.subtree_control").write_text("+cpuset")
        group.mkdir(exist_ok=True)
        (group / "cpuset.cpus").write_text("1")
        (group / "cpuset.mems").write_text("0")
    except OSError as error:
        pytest.skip(f"no control group with a cpuset can be made here: {error}")
    yield group
    with suppress(OSError):
        group.rmdir()


@pytest.fixture(name="spinner")
def _spinner(group: Path) -> Iterator[int]:
    """Run the program that has a thread which polls, inside of that group; yield its number."""
    process = subprocess.Popen((sys.executable, "-c", SPINNER))
    (group / "cgroup.procs").write_text(str(process.pid))
    while not any(name == POLLER for name, _cpus in _threads(process.pid)):
        pass  # until it has named itself; never is a timeout of this test
    yield process.pid
    process.kill()
    process.wait()


def _threads(pid: int) -> list[tuple[str, str]]:
    found = []
    for folder in Path(f"/proc/{pid}/task").iterdir():
        status = dict(line.split(":\t", 1) for line in (folder / "status").read_text().splitlines() if ":\t" in line)
        found.append((status["Name"], status["Cpus_allowed_list"]))
    return found


@pytest.mark.parametrize("cpus", ["0", "0-1"])
def test_a_core_outside_of_the_cpuset_is_refused_with_who_has_it(spinner: int, cpus: str) -> None:
    """With CPUs 0-1 the kernel would take CPU 1 alone, and say that all is well."""
    code, report, said = _pin("--cpus", cpus, "--once", "--yes")

    assert code == ExitCode.FAILED
    (refusal,) = report["refusals"]
    assert "its cpuset (of /sparktune-test) leaves it CPUs 1: no" in refusal["reason"]
    assert "widen the cpuset of the control group /sparktune-test to 0-1" in refusal["hint"]
    assert "nothing was changed" in said
    assert dict(_threads(spinner))[POLLER] == "1"


def test_a_machine_with_equal_cores_has_to_be_told_which(spinner: int) -> None:
    del spinner
    code, report, _said = _pin("--once", "--dry-run")
    assert code == ExitCode.DIFFERENCES
    if report["pins"]:
        pytest.skip("this machine has efficiency cores")
    assert "--cpus LIST" in report["refusals"][0]["hint"]
