"""A rule for threads from beginning to end on this machine's kernel: pinned, back after a restart, undone, refused."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.named_threads import NamedThreads, named_threads
from tests.support.private_agent import PrivateAgent, private_agent

from sparktune.agent.numbers import cpus_of

pytestmark = pytest.mark.root

_CPUSETS = Path("/sys/fs/cgroup/cpuset")
_PATIENCE_S = 90.0


@pytest.fixture(name="agent")
def _agent(tmp_path: Path) -> Iterator[PrivateAgent]:
    with private_agent(tmp_path) as agent:
        yield agent


@pytest.fixture(name="process")
def _process() -> str:
    """A name that no other run of the tests has."""
    return f"st-{os.getpid()}"


def _rule(process: str, cpus: list[int], **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - as JSON has them
    names = {"exe": "", "process": process, "thread": "poller", "which": "named"}
    return {"kind": "threads", "change": "t", "cpus": cpus, "reapply": True, "expect": {}} | names | fields


def _two_cpus() -> tuple[int, int]:
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("one CPU leaves no choice")
    return cpus[0], cpus[1]


def _mask(child: NamedThreads) -> set[int]:
    return os.sched_getaffinity(child.tids["poller"][0])


def test_a_restarted_process_is_pinned_by_the_next_tick_and_undone_with_the_rule(
    agent: PrivateAgent, process: str
) -> None:
    """The story: pinned, the service restarts, the new thread follows; undone, the living one has what it had."""
    first, second = _two_cpus()
    every = os.sched_getaffinity(0)
    with named_threads(process, "poller=rests"):
        (item,) = agent.transact(_rule(process, [first]))["steps"][0]["items"].values()
        assert (item["outcome"], item["found"]) == ("changed", str(first))
        idle = agent.run("follow")
        assert (idle.returncode, idle.stdout, idle.stderr) == (0, "", "")
    with named_threads(process, "poller=rests", "worker=rests") as child:
        os.sched_setaffinity(child.tids["poller"][0], {first, second})

        done = agent.run("follow")

        assert (done.returncode, done.stderr) == (0, "")
        (line,) = done.stdout.splitlines()
        thread = f"{child.pid}/{child.tids['poller'][0]}"
        assert line.startswith(f"pinned to CPUs {first}: thread {thread} (process/thread), as 0001-")
        assert _mask(child) == {first}
        assert os.sched_getaffinity(child.tids["worker"][0]) == every
        assert agent.labels() == ["test", "follow"]
        assert agent.run("follow").stdout == ""

        undone = agent.run("revert")

        assert undone.returncode == 0, undone.stdout
        assert _mask(child) == {first, second}
        assert agent.run("follow").stdout == ""
        assert _mask(child) == {first, second}


def test_a_rule_waits_for_its_process(agent: PrivateAgent, process: str) -> None:
    first, _ = _two_cpus()
    answer = agent.transact(_rule(process, [first]))
    assert answer["transaction"]
    assert answer["changed"]
    assert [said["outcome"] for said in answer["steps"][0]["items"].values()] == ["gone"]
    with named_threads(process, "poller=rests") as child:
        agent.run("follow")
        assert _mask(child) == {first}
    assert agent.run("revert").returncode == 0


def test_many_restarts_leave_one_entry(agent: PrivateAgent, process: str) -> None:
    first, _ = _two_cpus()
    agent.transact(_rule(process, [first]))
    for _ in range(3):
        with named_threads(process, "poller=rests") as child:
            agent.run("follow")
            assert _mask(child) == {first}
    assert agent.labels() == ["test", "follow"]


def test_while_another_works_the_tick_ends_at_once(agent: PrivateAgent, process: str) -> None:
    """It comes again in seconds; a queue of ticks behind a long transaction would help nobody."""
    first, second = _two_cpus()
    agent.transact(_rule(process, [first]))
    with named_threads(process, "poller=rests") as child, agent.locked():
        os.sched_setaffinity(child.tids["poller"][0], {second})
        done = agent.run("follow")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert _mask(child) == {second}


@contextmanager
def _cpuset(cpu: int, *tids: int) -> Iterator[Path]:
    """Give threads a cpuset of one CPU."""
    if not (_CPUSETS / "cpuset.cpus").is_file():
        pytest.skip("no cpuset hierarchy of version 1 here")
    if len(cpus_of((_CPUSETS / "cpuset.cpus").read_text())) < 2:
        pytest.skip("one CPU leaves no choice")
    group = _CPUSETS / f"test-{os.getpid()}"
    group.mkdir()
    try:
        (group / "cpuset.cpus").write_text(str(cpu))
        (group / "cpuset.mems").write_text((_CPUSETS / "cpuset.mems").read_text())
        for tid in tids:
            (group / "tasks").write_text(str(tid))
        yield group
    finally:
        for tid in (group / "tasks").read_text().split():
            (_CPUSETS / "tasks").write_text(tid)
        group.rmdir()


def test_a_cpuset_without_the_cpu_is_a_clear_refusal(agent: PrivateAgent, process: str) -> None:
    first, second = _two_cpus()
    with named_threads(process, "poller=rests") as child, _cpuset(first, child.tids["poller"][0]):
        (said,) = agent.transact(_rule(process, [second]))["steps"][0]["items"].values()
        assert said["outcome"] == "refused"
        assert "its cpuset has none of these CPUs" in said["why"]
        assert _mask(child) == {first}


def test_a_mask_that_the_kernel_cuts_without_a_word_is_told(agent: PrivateAgent, process: str) -> None:
    first, second = _two_cpus()
    with named_threads(process, "poller=rests") as child, _cpuset(first, child.tids["poller"][0]):
        (said,) = agent.transact(_rule(process, [first, second]))["steps"][0]["items"].values()
        assert (said["outcome"], said["why"]) == ("ineffective", f"its cpuset leaves it {first} of {first}-{second}")


def test_a_tick_that_is_refused_says_so_once(agent: PrivateAgent, process: str) -> None:
    first, second = _two_cpus()
    agent.transact(_rule(process, [second]))
    with named_threads(process, "poller=rests") as child, _cpuset(first, child.tids["poller"][0]):
        done = agent.run("follow")
        assert done.returncode == 0
        (line,) = done.stdout.splitlines()
        assert line.startswith("not as 0001-")
        assert "its cpuset has none of these CPUs" in line
        assert agent.run("follow").stdout == ""


def _first_that_says(agent: PrivateAgent) -> subprocess.CompletedProcess[str]:
    """Tick until one has something to say: a thread is judged when it is 20 s old, however quick the ticks are."""
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        tick = agent.run("follow")
        if tick.stdout:
            return tick
    pytest.fail("no tick has said anything")


@pytest.mark.slow
def test_the_thread_that_spins_is_found_again_among_its_siblings(agent: PrivateAgent, process: str) -> None:
    """Of threads that are all called alike the tick pins the one that polls, when it is old enough to be judged."""
    first, _ = _two_cpus()
    every = os.sched_getaffinity(0)
    agent.transact(_rule(process, [first], which="busy"))
    with named_threads(process, "poller=rests", "poller=spins", "poller=rests") as child:
        done = _first_that_says(agent)
        assert f"thread {child.pid}/{child.tids['poller'][1]} (process/thread)" in done.stdout
        assert [os.sched_getaffinity(tid) for tid in child.tids["poller"]] == [every, {first}, every]
        assert agent.run("revert").returncode == 0
        assert [os.sched_getaffinity(tid) for tid in child.tids["poller"]] == [every] * 3


@pytest.mark.slow
def test_a_process_at_work_is_never_touched_by_a_tick(agent: PrivateAgent, process: str) -> None:
    """Two that compute look like two that spin. Ticks that could judge them by their age leave them alone."""
    first, _ = _two_cpus()
    every = os.sched_getaffinity(0)
    agent.transact(_rule(process, [first], which="busy"))
    with named_threads(process, "poller=computes", "poller=computes", "worker=rests") as child:
        began = time.monotonic()
        while time.monotonic() < began + 26.0:  # six seconds of them older than what is judged
            assert agent.run("follow").stdout == ""
        assert [os.sched_getaffinity(tid) for tid in child.tids["poller"]] == [every] * 2
