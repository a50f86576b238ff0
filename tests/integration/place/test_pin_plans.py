"""``place pin`` on this machine, with a real process whose thread polls: what it would do, and what it refuses.

Nothing is changed here; that it is done, followed and undone is tested where a test may be root.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import run_sparktune
from tests.support.named_spinner import POLLER, PROCESS, SPINNER
from tests.support.nodes import readings_of_node
from tests.support.shared import shared

from sparktune.host.cpulist import format_cpulist
from sparktune.host.lab.tree import NodeTree
from sparktune.host.pinning.seen import first_reads, seen_of
from sparktune.model.reads import Readings

_SHORT = ("--windows", "1", "--window", "1s", "--nodes", "local", "--quiet")


@pytest.fixture(name="spinner", scope="module")
def _spinner() -> Iterator[int]:
    process = subprocess.Popen((sys.executable, "-c", SPINNER))
    while POLLER not in {_name(path) for path in Path(f"/proc/{process.pid}/task").iterdir()}:
        pass  # until it has named itself; never is a timeout of this test
    yield process.pid
    process.kill()
    process.wait()


def _name(task: Path) -> str:
    return (task / "comm").read_text().strip()


def _tid(pid: int, name: str) -> str:
    (task,) = (path for path in Path(f"/proc/{pid}/task").iterdir() if _name(path) == name)
    return task.name


def _planned(*words: str) -> tuple[int, dict[str, Any]]:
    done = run_sparktune("place", "pin", *words, *_SHORT, "--dry-run", "--json")
    assert done.out, done.err
    (node,) = json.loads(done.out)["nodes"]
    return done.code, node


def test_a_thread_is_planned_by_its_number_with_the_rule_for_the_next(spinner: int) -> None:
    code, node = _planned(f"{_tid(spinner, POLLER)}@local", "--cpus", "0", "--accept-likely")

    assert code == 3
    (pin,) = node["pins"]
    assert (pin["pid"], pin["process"], pin["name"], pin["to"]) == (spinner, PROCESS, POLLER, "0")
    program = Path(f"/proc/{spinner}/exe").readlink().name
    assert pin["rule"] == {"exe": program, "process": PROCESS, "thread": POLLER, "which": "named"}
    assert node["state"] is None, "a dry run"


def test_likely_is_not_enough_without_the_word_of_somebody(spinner: int) -> None:
    """It is younger than a minute, and of no engine: counters cannot tell it from a computation."""
    code, node = _planned(f"{_tid(spinner, POLLER)}@local", "--cpus", "0")
    assert (code, node["pins"]) == (3, [])
    assert "--accept-likely" in node["refusals"][0]["hint"]


def test_a_thread_that_sleeps_is_none_to_move(spinner: int) -> None:
    code, node = _planned(f"{spinner}@local", "--cpus", "0", "--accept-likely")
    assert (code, node["pins"]) == (3, [])
    assert "no such thread was seen to want a core" in node["refusals"][0]["reason"]


def test_a_name_that_no_thread_has_fails() -> None:
    done = run_sparktune("place", "pin", "--process", "no-such-process", *_SHORT, "--dry-run")
    assert done.code == 1
    assert "no thread of processes no-such-process was seen to want a core" in done.err


def test_the_nodes_that_threads_are_named_with_are_the_nodes_that_are_scanned() -> None:
    """Named once is enough; to look at another machine instead would be to pin what merely has that number there."""
    done = run_sparktune("place", "pin", "1@no-such-node.invalid", "--dry-run", "--json", "--quiet")

    assert done.code == 1, done.err
    (node,) = json.loads(done.out)["nodes"]
    assert node["node"] == "no-such-node.invalid"
    assert "no-such-node.invalid" in node["error"]


_WRONG = [
    (("12x",), "is no TID"),
    (("12@",), "is no TID"),
    (("12@elsewhere", "--nodes", "local"), "is none of the nodes"),
    (("12", "--process", "x"), "give one of both"),
    (("--accept-likely",), "your word for threads that you name"),
    (("--process", "x", "--cpus", "3-1"), "--cpus"),
    (("--process", "x", "--cpus", "a"), "--cpus"),
]


@pytest.mark.parametrize(("words", "said"), _WRONG)
def test_what_was_typed_wrongly_is_said_before_any_node_is_asked(words: tuple[str, ...], said: str) -> None:
    done = run_sparktune("place", "pin", *words, "--dry-run")
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_without_a_terminal_nothing_is_asked_and_nothing_is_changed() -> None:
    done = run_sparktune("place", "pin", *_SHORT)
    assert done.code == 2
    assert "--yes" in done.err


def test_the_efficiency_cores_of_a_gb10_are_those_that_it_says() -> None:
    """From its captured files: two types of cores that lie between each other."""
    root = shared("samples/gb10/hwloc-gb10-sysfs")
    files = {f"/{path.relative_to(root)}": path.read_text() for path in root.rglob("*") if path.is_file()}
    readings = readings_of_node(NodeTree(files=files), first_reads(()))

    seen = seen_of("b", readings, Readings(), ())

    assert seen.efficiency.value is not None
    assert format_cpulist(seen.efficiency.value) == "0-4,10-14"
    assert not seen.systemd
