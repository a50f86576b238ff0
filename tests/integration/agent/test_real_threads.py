"""Rules for threads on this machine's kernel, with real threads of a child of the test's own."""

import os
import resource
import socket
from pathlib import Path
from typing import Any

import pytest
from tests.support.named_threads import NamedThreads, named_threads
from tests.support.steps import kind_named

from sparktune.agent import busy
from sparktune.agent.failures import StepFailed
from sparktune.agent.kind import Reading
from sparktune.agent.machines import machine_of
from sparktune.agent.tree import Tree

_KIND = kind_named("threads")
_MACHINE = machine_of(Tree())
_TRIES = 6  # at a measurement that a loaded machine did not allow


@pytest.fixture(name="process")
def _process() -> str:
    """A name that no other run of the tests has."""
    return f"st-{os.getpid()}"


def _rule(process: str, thread: str, cpu: int, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - as JSON has them
    names = {"exe": "", "process": process, "thread": thread}
    return (
        {"kind": "threads", "change": "t", "cpus": [cpu], "which": "named", "reapply": True, "expect": {}}
        | names
        | fields
    )


def _first_and_last() -> tuple[int, int]:
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        pytest.skip("one CPU leaves no choice")
    return cpus[0], cpus[-1]


def _tids(reading: Reading) -> list[int]:
    return [int(item.split("/")[1]) for item in reading]


def test_threads_are_pinned_by_name_and_get_back_what_each_had(process: str) -> None:
    first, last = _first_and_last()
    with named_threads(process, "poller=rests", "poller=rests", "worker=rests") as child:
        one, other = child.tids["poller"]
        os.sched_setaffinity(other, {last})
        before_worker = os.sched_getaffinity(child.tids["worker"][0])
        step = _rule(process, "poller", first)

        before = _KIND.look(_MACHINE, step)
        done = _KIND.do(_MACHINE, step, before)

        assert sorted(_tids(before)) == sorted([one, other])
        assert {said["outcome"] for said in done.values()} == {"changed"}
        assert os.sched_getaffinity(one) == os.sched_getaffinity(other) == {first}
        assert os.sched_getaffinity(child.tids["worker"][0]) == before_worker
        for item in before:
            _KIND.put_back(_MACHINE, step, item, before[item])
        assert os.sched_getaffinity(other) == {last}
        assert _KIND.look_at(_MACHINE, step, before) == before
    assert {said["outcome"] for said in _KIND.do(_MACHINE, step, before).values()} == {"gone"}


def test_the_program_is_the_one_that_runs(process: str) -> None:
    """Its own name it can change; what the link to its program says it cannot."""
    with named_threads(process, "poller=rests") as child:
        exe = Path(f"/proc/{child.pid}/exe").readlink().name
        assert _tids(_KIND.look(_MACHINE, _rule(process, "poller", 0, exe=exe))) == child.tids["poller"]
        assert _tids(_KIND.look(_MACHINE, _rule(process, "", 0, exe=exe, which="main"))) == [child.pid]
        assert _KIND.look(_MACHINE, _rule(process, "poller", 0, exe="another")) == {}


@pytest.mark.parametrize("doing", ["spins", "polls", "computes"])
def test_the_one_that_spins_is_found_among_equal_names(
    process: str, doing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pool whose threads are all called alike, at rest but for one. Its age is not waited for here."""
    monkeypatch.setattr(busy, "LEAST_AGE_S", 0.0)
    with named_threads(process, "w=rests", "w=rests", f"w={doing}", "w=rests") as child:
        assert _found(process) == [child.tids["w"][2]]


def _found(process: str) -> list[int]:
    """Look until something is found: a machine that is loaded to its limits may not let the agent look in time."""
    found: list[int] = []
    for _ in range(_TRIES):
        found = _tids(_KIND.look(_MACHINE, _rule(process, "w", 0, which="busy")))
        if found:
            break
    return found


@pytest.mark.parametrize("threads", [("w=computes", "w=computes"), ("w=computes", "w=spins"), ("w=rests", "w=rests")])
def test_where_several_compute_or_all_rest_nobody_is_taken(
    process: str, threads: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No thread of a server at work is ever moved, whatever it looks like."""
    monkeypatch.setattr(busy, "LEAST_AGE_S", 0.0)
    with named_threads(process, *threads) as child:
        assert _KIND.look(_MACHINE, _rule(process, "w", 0, which="busy")) == {}
        assert "none wants a whole core now" in _why_none(process, child)


def _why_none(process: str, child: NamedThreads) -> str:
    (said,) = _KIND.do(_MACHINE, _rule(process, "w", 0, which="busy"), {}).values()
    assert f"{len(child.tids['w'])} threads are so named" in said["why"]
    return said["why"]


def test_work_over_sockets_has_the_counters_of_a_poll() -> None:
    """Why two that spend their time in the kernel are left alone: they may as well serve somebody, and nothing tells.

    Whoever wants a rule to take them has to make this fail first.
    """
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as two,
    ):
        two.bind(("127.0.0.1", 0))
        two.settimeout(5.0)
        data, before, moved, sent = bytearray(60_000), _counters(), _moved(), 0
        while (spent := [now - then for now, then in zip(_counters(), before, strict=True)])[0] + spent[1] < 0.5:
            one.sendto(data, two.getsockname())
            sent += two.recv_into(data)
    user_s, system_s, faults = spent
    assert system_s > user_s, "most of its time in the kernel"
    assert faults < 100, "and none of it for memory"
    assert sent > 1_000_000 > _moved() - moved, "megabytes, of which no counter knows"


def _counters() -> tuple[float, float, int]:
    """Return this thread's seconds in user space and in the kernel, and its page faults."""
    used = resource.getrusage(resource.RUSAGE_THREAD)
    return used.ru_utime, used.ru_stime, used.ru_minflt


def _moved() -> int:
    """Return the bytes that reads and writes of this thread have moved."""
    lines = Path("/proc/thread-self/io").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(("rchar", "wchar")))


def test_a_thread_that_just_began_is_not_judged(process: str) -> None:
    """Loading and warming up look like spinning; nothing is measured for it."""
    with named_threads(process, "w=spins") as child:
        item = f"{child.pid}/{child.tids['w'][0]}"
        seen = next(one for one in _KIND.look(_MACHINE, _rule(process, "w", 0)) if one.startswith(item))
        step = _rule(process, "w", 0, which="busy", expect={seen: "0"})
        with pytest.raises(StepFailed, match="is not moved: it is younger than 20 s"):
            _KIND.look(_MACHINE, step)
