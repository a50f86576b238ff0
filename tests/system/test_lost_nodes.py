"""Two nodes behind real sshds: one loses its link in the middle of a visit, one its agent, and no half of it is left.

Both arms differ in values that each network namespace has of its own. The nodes share this machine's kernel and the
journal of its agent; so each has another value, and neither transaction stands on the other.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.support.ab import GUARD, write_experiment
from tests.support.cli import Finished
from tests.support.hosts import FAR_ADDRESS, Hosts
from tests.support.sshd import Node, sshd

from sparktune.errors import ExitCode
from sparktune.experiment.plan import VisitRecord, VisitState
from sparktune.io.store import Store

pytestmark = [
    pytest.mark.root,
    pytest.mark.slow,
    pytest.mark.timeout(400),
]  # ssh takes its time until it gives a dead link up

_VALUES = {"spark2": "/proc/sys/net/ipv4/ip_default_ttl", "spark1": "/proc/sys/net/ipv4/tcp_keepalive_intvl"}
_PORT = 18_431  # of a loopback that nobody else has
_USUAL = {"spark2": "64", "spark1": "75"}
_SET = "77"
_LIMIT_S = 150.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """``spark1`` is behind the cable, ``spark2`` where the program runs."""

    hosts: Hosts
    environment: dict[str, str]
    folders: dict[str, Path]

    def value(self, name: str) -> str:
        """Return the value on a node, whether or not there is a way to it."""
        host = self.hosts.far if name == "spark1" else self.hosts.near
        return self.hosts.run(host, "cat", _VALUES[name]).strip()

    def all_set(self) -> bool:
        """Tell whether arm B is applied on both nodes."""
        return all(self.value(name) == _SET for name in _VALUES)

    def all_usual(self) -> bool:
        """Tell whether nothing of it is left on either."""
        return all(self.value(name) == usual for name, usual in _USUAL.items())

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start the program in the namespace from which both can be reached."""
        command = self.hosts.on(self.hosts.near, sys.executable, "-m", "sparktune", *words)
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment
        )


@pytest.fixture
def pair(hosts: Hosts, tmp_path: Path) -> Iterator[Pair]:
    with ExitStack() as stack:
        far = stack.enter_context(sshd({"spark1": Node()}, address=FAR_ADDRESS, enter=hosts.named(hosts.far, "spark1")))
        near = stack.enter_context(sshd({"spark2": Node()}, enter=hosts.named(hosts.near, "spark2")))
        config = tmp_path / "ssh_config"
        texts = {"spark1": far, "spark2": near}
        config.write_text(
            "".join(
                (server.folder / "ssh_config").read_text().replace("Host *", f"Host {name}")
                for name, server in texts.items()
            )
        )
        serving = [sys.executable, "-m", "sparktune.io.reference", "--port", str(_PORT), "--itl-ms", "10"]
        server = subprocess.Popen(hosts.on(hosts.near, *serving))
        stack.callback(_ended, server)
        environment = {**os.environ, "SPARKTUNE_SSH": f"ssh -F {config}", "XDG_RUNTIME_DIR": str(near.folder)}
        folders = {name: one.folder for name, one in texts.items()}
        yield Pair(hosts=hosts, environment=environment, folders=folders)


def _ended(process: subprocess.Popen[Any]) -> None:
    process.kill()
    process.wait()


def _content(**guard: object) -> dict[str, Any]:
    steps = [{"node": name, "kind": "value", "path": path, "text": _SET} for name, path in _VALUES.items()]
    return {
        "url": f"http://127.0.0.1:{_PORT}/v1",
        "launcher": "hot",
        "a": {},
        "b": {"steps": steps},
        "settle_s": 0,
        "workload": {"prompt_tokens": 32, "output_tokens": 300, "warmup": 0},
        "max_blocks": 1,
        "seed": 1,
        "guard": {**GUARD, **guard},
    }


def _until(what: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + _LIMIT_S
    while not what():
        if process.poll() is not None or time.monotonic() > until:
            process.kill()
            pytest.fail(f"it did not come to that: {process.communicate()}")
        time.sleep(0.2)


def _finished(process: subprocess.Popen[str]) -> Finished:
    try:
        out, err = process.communicate(timeout=_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        pytest.fail(f"it does not end: {process.communicate()}")
    assert "Traceback" not in err, err
    return Finished(code=process.returncode, out=out, err=err)


def _visits() -> tuple[VisitRecord, ...]:
    with Store.open() as store:
        rows = store.list_experiments(1)
        return store.visits(rows[0].id) if rows else ()


def _holds() -> bool:
    with Store.open() as store:
        return store.list_experiments(1)[0].holds


def _agents(folder: Path) -> list[int]:
    """Return the processes below an sshd that run an agent."""
    parents: dict[int, int] = {}
    commands: dict[int, str] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            pid, stat = int(entry.name), (entry / "stat").read_text()
            parents[pid] = int(stat.rpartition(")")[2].split()[1])
            commands[pid] = (entry / "cmdline").read_text().replace("\0", " ")
        except (OSError, ValueError):
            continue
    below = {pid for pid, command in commands.items() if str(folder / "sshd_config") in command}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    agents = [pid for pid in below if "python" in commands[pid].partition(" ")[0]]
    assert agents, [commands[pid] for pid in below]
    return agents


def test_a_link_that_is_lost_costs_the_block_and_the_run_goes_on(pair: Pair, tmp_path: Path) -> None:
    content = _content(on_lost_node="retry", lost_wait_s=120)
    process = pair.start("ab", str(write_experiment(tmp_path, content)), "--yes", "--json")
    _until(pair.all_set, process)
    time.sleep(1.5)
    pair.hosts.pull_cable()
    _until(lambda: any(visit.lost for visit in _visits()), process)
    _until(
        lambda: pair.value("spark2") == _USUAL["spark2"], process
    )  # the node that is there is not left with half of an arm
    assert pair.value("spark1") == _SET
    pair.hosts.run(pair.hosts.far, "ip", "link", "set", "cable", "up")
    finished = _finished(process)

    assert finished.code == ExitCode.NOT_CONCLUSIVE, finished.err  # one block is an anecdote
    visits = _visits()
    lost = [visit for visit in visits if visit.lost]
    assert [(visit.state, visit.attempt) for visit in lost] == [(VisitState.VOID, 1)]
    assert "spark1" in lost[0].lost
    assert [visit.state for visit in visits if visit.attempt == 2] == [VisitState.DONE, VisitState.DONE]
    assert finished.json["blocks"] == 1
    assert "block 1 is discarded: a node was lost: spark1" in finished.err
    assert pair.all_usual()
    assert not _holds()


def test_an_agent_that_is_killed_stops_it_and_nothing_is_left_applied(pair: Pair, tmp_path: Path) -> None:
    process = pair.start("ab", str(write_experiment(tmp_path, _content())), "--yes", "--json")
    _until(pair.all_set, process)
    time.sleep(1.5)
    for pid in _agents(pair.folders["spark2"]):
        os.kill(pid, signal.SIGKILL)
    finished = _finished(process)

    assert finished.code == ExitCode.FAILED
    assert "spark2" in finished.err
    assert "sparktune ab resume" in finished.err
    assert [visit.state for visit in _visits() if visit.lost] == [VisitState.VOID]
    assert pair.all_usual()
    assert not _holds()

    resumed = _finished(pair.start("ab", "resume", "--yes", "--json"))
    assert resumed.code == ExitCode.NOT_CONCLUSIVE, resumed.err
    assert resumed.json["blocks"] == 1
    assert pair.all_usual()
