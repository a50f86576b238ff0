"""A thread that polls is pinned on a node with a real systemd; the one that comes after a restart follows by the rule.

By hand people pin a number, and after the next restart the thread is back on its fast core with nobody knowing.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.named_spinner import ALIKE, POLLER, PROCESS, SPINNER
from tests.support.nspawn import EFFICIENCY, NAME, BootedNode

from sparktune.errors import ExitCode
from sparktune.host.place_units import SERVICE, TIMER

pytestmark = [pytest.mark.root, pytest.mark.timeout(600)]

_SHORT = ("--windows", "1", "--window", "1s")
_WHICH = ("--process", PROCESS, "--thread", POLLER, "--accept-likely")
_UNIT = "spinner.service"


def _run(*words: str) -> tuple[int, dict[str, Any]]:
    """Run ``sparktune``; return its exit code, and what it says of the one node."""
    command = (sys.executable, "-m", "sparktune", *words, "--nodes", NAME, "--json", "--quiet")
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stdout, done.stderr
    (report,) = json.loads(done.stdout)["nodes"]
    assert report["error"] is None, report
    return done.returncode, report


@pytest.fixture(name="spinner")
def _spinner(node: BootedNode) -> Iterator[BootedNode]:
    """Let a unit run whose program has one thread that polls."""
    (node.root / "srv/spinner.py").write_text(SPINNER, encoding="utf-8")
    unit = node.root / f"etc/systemd/system/{_UNIT}"
    unit.write_text("[Service]\nExecStart=/usr/bin/python3 /srv/spinner.py\n", encoding="utf-8")
    node.run(f"systemctl daemon-reload; systemctl start {_UNIT}")
    yield node
    node.run(f"systemctl stop {_UNIT}; systemctl reset-failed || true")
    for path in (unit, node.root / "srv/spinner.py"):
        path.unlink()
    node.run("systemctl daemon-reload")


def _poller(node: BootedNode) -> tuple[str, str]:
    """Return the number and the CPUs of the thread that polls, once it has its name."""
    pid = node.run(f"systemctl show -P MainPID {_UNIT}").strip()
    look = f"for t in /proc/{pid}/task/*; do echo $(cat $t/comm) ${{t##*/}} $(grep Cpus_allowed_list $t/status); done"
    while True:  # it takes as long as it takes; never is a timeout of this test
        for line in node.run(look).splitlines():
            name, tid, _key, cpus = line.split()
            if name == POLLER:
                return tid, cpus


def _others(node: BootedNode) -> set[str]:
    """Return the CPUs of the other threads of that process."""
    pid = node.run(f"systemctl show -P MainPID {_UNIT}").strip()
    found = node.run(f"grep -H Cpus_allowed_list /proc/{pid}/task/*/status")
    tid, _cpus = _poller(node)
    return {line.split()[-1] for line in found.splitlines() if f"/task/{tid}/" not in line}


def test_the_next_thread_follows_and_unpin_leaves_nothing(spinner: BootedNode) -> None:
    """The round that every user makes: pin, restart the service, look, take it back."""
    tid, before = _poller(spinner)
    code, planned = _run("place", "pin", *_WHICH, *_SHORT, "--dry-run")
    assert (code, planned["state"]) == (ExitCode.DIFFERENCES, None)
    assert _poller(spinner) == (tid, before), "a dry run changes nothing"

    code, pinned = _run("place", "pin", *_WHICH, *_SHORT, "--yes")
    assert (code, pinned["state"]) == (ExitCode.DONE, "applied"), pinned
    ((now, rule),) = [(pin["now"], pin["rule"]["which"]) for pin in pinned["pins"]]
    assert (now, rule) == (str(EFFICIENCY), "named")
    assert _poller(spinner) == (tid, str(EFFICIENCY))
    assert _others(spinner) == {before}, "threads that do the work stay where they were"

    spinner.run(f"systemctl restart {_UNIT}")
    began = time.monotonic()
    while _poller(spinner) in {(tid, before), (tid, str(EFFICIENCY))} or _poller(spinner)[1] != str(EFFICIENCY):
        pass  # the timer looks every ten seconds; never is a timeout of this test
    after = time.monotonic() - began
    assert _others(spinner) == {before}
    code, placed = _run("place", "status")
    assert {row["state"] for row in placed["rows"]} == {"OK"}, (after, placed)
    assert code == ExitCode.DONE
    _code, verified = _run("host", "verify")
    assert {check["status"] for check in verified["checks"] if check["change"] == "place"} == {"OK"}

    code, _undone = _run("place", "unpin", "--yes")
    assert code == ExitCode.DONE
    assert _poller(spinner)[1] == before
    for path in (SERVICE, TIMER):
        assert not (spinner.root / path.lstrip("/")).exists()
    spinner.run(f"systemctl restart {_UNIT}")
    assert _poller(spinner)[1] == before, "nothing follows any more"


def test_a_thread_that_somebody_moved_back_is_told_and_a_second_pin_keeps_the_timer(spinner: BootedNode) -> None:
    """Taking back one of two pins must not end the rule of the other."""
    _run("place", "pin", *_WHICH, *_SHORT, "--yes")
    tid, _cpus = _poller(spinner)
    spinner.run("systemctl stop sparktune-place.timer")
    spinner.run(f"python3 -c 'import os; os.sched_setaffinity({tid}, {{0, 1}})'")
    code, placed = _run("place", "status")
    assert code == ExitCode.DIFFERENCES
    assert [row["state"] for row in placed["rows"]] == ["NOT PINNED", "NOT PINNED"], "the thread, and the timer"
    _code, verified = _run("host", "verify")
    assert "DIFFERENT" in {check["status"] for check in verified["checks"] if check["change"] == "place"}

    _code, again = _run("place", "pin", *_WHICH, *_SHORT, "--yes")
    first = _run("place", "status")[1]["rows"][0]["transaction"]
    assert first != again["transaction"]
    code, _undone = _run("place", "unpin", again["transaction"], "--yes")
    assert (spinner.root / TIMER.lstrip("/")).exists()
    assert _run("place", "unpin", "--all", "--yes")[0] in {ExitCode.DONE, ExitCode.DIFFERENCES}
    assert not (spinner.root / TIMER.lstrip("/")).exists()
    assert code in {ExitCode.DONE, ExitCode.DIFFERENCES}


def test_once_needs_neither_rule_nor_unit(spinner: BootedNode) -> None:
    code, pinned = _run("place", "pin", *_WHICH, *_SHORT, "--once", "--yes")
    assert (code, pinned["pins"][0]["rule"]) == (ExitCode.DONE, None)
    assert _poller(spinner)[1] == str(EFFICIENCY)
    assert not (spinner.root / TIMER.lstrip("/")).exists()
    assert _run("place", "unpin", "--yes")[0] == ExitCode.DONE
    assert _poller(spinner)[1] == "0-1"


def _times(node: BootedNode) -> dict[str, tuple[int, str]]:
    """Return by number the time that each thread has had, in ticks, and its CPUs."""
    pid = node.run(f"systemctl show -P MainPID {_UNIT}").strip()
    look = f"for t in /proc/{pid}/task/*; do echo $(cat $t/stat) $(grep Cpus_allowed_list $t/status); done"
    found = {}
    for line in node.run(look).splitlines():
        tid, rest = line.split(" ", 1)[0], line[line.rfind(")") + 2 :].split()
        found[tid] = (int(rest[11]) + int(rest[12]), rest[-1])
    return found


@pytest.mark.slow
def test_of_threads_with_one_name_the_next_that_polls_follows(spinner: BootedNode) -> None:
    """As in llama.cpp: no name tells the poller from threads that compute, the node has to see which one it is."""
    (spinner.root / "srv/spinner.py").write_text(ALIKE, encoding="utf-8")
    spinner.run(f"systemctl restart {_UNIT}")
    code, pinned = _run("place", "pin", "--process", PROCESS, "--accept-likely", *_SHORT, "--yes")
    assert (code, [pin["rule"]["which"] for pin in pinned["pins"]]) == (ExitCode.DONE, ["busy"]), pinned

    spinner.run(f"systemctl restart {_UNIT}")
    while str(EFFICIENCY) not in {cpus for _ticks, cpus in _times(spinner).values()}:
        time.sleep(1)  # it has to be 20 s old, and is then watched; never is a timeout of this test

    found = _times(spinner)
    assert [tid for tid, (_ticks, cpus) in found.items() if cpus == str(EFFICIENCY)] == [
        max(found, key=lambda tid: found[tid][0])
    ]
    assert {row["state"] for row in _run("place", "status")[1]["rows"]} == {"OK"}
    assert _run("place", "unpin", "--yes")[0] == ExitCode.DONE
    assert str(EFFICIENCY) not in {cpus for _ticks, cpus in _times(spinner).values()}
