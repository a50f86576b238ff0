"""Which thread spins, told from counters of a made-up /proc that go on while the agent sleeps."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from sparktune.agent import busy, gpu_idle
from sparktune.agent.thread_rules import Seen
from sparktune.agent.tree import Tree

_PID, _START = 40, 1000
_SECOND = 1_000_000_000


class Thread:
    """What a thread does in every second: shares of a core, switches and faults."""

    def __init__(
        self, ran: float = 0.0, waited: float = 0.0, *, switches: int = 0, faults: int = 0, start: int = _START
    ) -> None:
        self.ran, self.waited, self.switches, self.faults, self.start = ran, waited, switches, faults, start


class _Proc:
    """A folder with one process; ``sleep`` lets a second pass for all its threads, ``late`` makes it a longer one."""

    def __init__(self, root: Path, threads: Mapping[int, Thread]) -> None:
        self.root, self.threads = root, dict(threads)
        self.now_ns, self.seconds, self.late = 5 * _SECOND, 0, 1.0
        self.ended_ran = 0.0  # of threads that came and went in between
        self.events: dict[int, Callable[[_Proc], None]] = {}
        self._write("/proc/uptime", "100.00 50.00\n")
        self.show()

    def sleep(self, seconds: float) -> None:
        self.now_ns += int(seconds * self.late * _SECOND)
        self.seconds += 1
        self.events.get(self.seconds, lambda _proc: None)(self)
        self.show()

    def show(self) -> None:
        ticks = self.ended_ran * 100
        for tid, one in self.threads.items():
            ran, waited = one.ran * self.seconds, one.waited * self.seconds
            ticks += ran * 100
            folder = f"/proc/{_PID}/task/{tid}"
            self._write(f"{folder}/schedstat", f"{int(ran * _SECOND)} {int(waited * _SECOND)} 7\n")
            switches = one.switches * self.seconds
            self._write(f"{folder}/status", f"Name:\tx\nvoluntary_ctxt_switches:\t{switches}\nnonvoluntary:\t1\n")
            self._write(f"{folder}/stat", self._stat(tid, one.faults * self.seconds, int(ran * 100), one.start))
        self._write(f"/proc/{_PID}/stat", self._stat(_PID, 0, int(ticks), _START))

    def carry(self, total: int) -> None:
        for name in ("port_xmit_data", "port_rcv_data"):
            self._write(f"/sys/class/infiniband/mlx5_0/ports/1/counters/{name}", f"{total}\n")

    def have_gpu(self) -> None:
        self._write("/proc/driver/nvidia/version", "NVRM\n")

    def why_not(self, *tids: int) -> list[str]:
        examined = [Seen(_PID, tid, self.threads[tid].start, runs=True) for tid in tids]
        answers = busy.why_not_busy(Tree(str(self.root)), examined)
        return [answers[one.item] for one in examined]

    @staticmethod
    def _stat(tid: int, faults: int, ticks: int, start: int) -> str:
        return f"{tid} (x) R 0 0 0 0 0 0 {faults} 0 0 0 {ticks} 0 0 0 0 0 0 0 {start} 0 0\n"

    def _write(self, path: str, text: str) -> None:
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


@pytest.fixture
def make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., _Proc]]:
    def made(**threads: Thread) -> _Proc:
        proc = _Proc(tmp_path, {int(name.lstrip("t")): one for name, one in threads.items()})
        monkeypatch.setattr(busy.time, "sleep", proc.sleep)
        monkeypatch.setattr(busy.time, "monotonic_ns", lambda: proc.now_ns)
        return proc

    yield made
    monkeypatch.undo()


def test_the_one_that_spins_while_others_rest_is_taken(make: Callable[..., _Proc]) -> None:
    proc = make(t40=Thread(), t41=Thread(1.0), t42=Thread(0.02))
    assert proc.why_not(41, 42) == ["", "it does not want a whole core"]
    assert proc.seconds == 4


def test_on_a_crowded_machine_waiting_counts(make: Callable[..., _Proc]) -> None:
    """At five threads per core a spinner gets a fifth of one, and waits for the rest."""
    proc = make(t41=Thread(0.2, 0.8))
    assert proc.why_not(41) == [""]


def test_a_wait_that_ends_in_the_next_window_is_no_rest(make: Callable[..., _Proc]) -> None:
    def shift(proc: _Proc) -> None:
        proc.threads[41].waited = 0.8 if proc.seconds != 2 else 0.7

    proc = make(t41=Thread(0.2, 0.8))
    proc.events = {2: shift, 3: shift}
    assert proc.why_not(41) == [""]


@pytest.mark.parametrize(
    ("thread", "why"),
    [
        (Thread(0.5), "it does not want a whole core"),
        (Thread(0.85), "it does not want a whole core"),
        (Thread(1.0, switches=5), "it sleeps in between"),
        (Thread(1.0, faults=100), "it takes new memory all along, as what computes does"),
        (Thread(1.0, start=8001), "it is younger than 20 s: it may still load or warm up"),
    ],
)
def test_what_does_otherwise_is_left(make: Callable[..., _Proc], thread: Thread, why: str) -> None:
    assert make(t40=Thread(), t41=thread).why_not(41) == [why]


@pytest.mark.parametrize("other", [Thread(1.0), Thread(0.12), Thread(0.05, 0.07)])
def test_among_others_that_work_nobody_is_taken(make: Callable[..., _Proc], other: Thread) -> None:
    """A worker waits in a spin for the others of its pool: moving it slows all of them down."""
    proc = make(t41=Thread(1.0), t42=other)
    (why,) = proc.why_not(41)
    assert "other threads of its process want" in why
    assert proc.seconds == 1


def test_two_that_spin_protect_each_other(make: Callable[..., _Proc]) -> None:
    """Whether both spin or both compute nobody can tell."""
    assert all("it is at work" in why for why in make(t41=Thread(1.0), t42=Thread(1.0)).why_not(41, 42))


def test_many_that_want_little_are_work_together(make: Callable[..., _Proc]) -> None:
    others = {f"t{tid}": Thread(0.02) for tid in range(50, 56)}
    assert "it is at work" in make(t41=Thread(1.0), **others).why_not(41)[0]


def test_work_of_threads_that_came_and_went_counts(make: Callable[..., _Proc]) -> None:
    """A pool that starts a thread for every piece of work has none of them left when it is looked at."""

    def came_and_went(proc: _Proc) -> None:
        proc.ended_ran += 0.5

    proc = make(t41=Thread(1.0))
    proc.events = {3: came_and_went}
    assert "want 0.5 cores" in proc.why_not(41)[0]
    assert proc.seconds == 3


def test_work_that_begins_in_the_last_window_saves_it(make: Callable[..., _Proc]) -> None:
    def begin(proc: _Proc) -> None:
        proc.threads[42] = Thread(0.25)

    proc = make(t41=Thread(1.0))
    proc.events = {4: begin}
    assert "it is at work" in proc.why_not(41)[0]


def test_one_that_ends_or_is_another_is_left(make: Callable[..., _Proc]) -> None:
    def another(proc: _Proc) -> None:
        proc.threads[41].start += 1

    proc = make(t41=Thread(1.0))
    proc.events = {2: another}
    seen = Seen(_PID, 41, _START, runs=True)
    assert busy.why_not_busy(Tree(str(proc.root)), [seen]) == {seen.item: "it has ended"}


def test_a_machine_that_does_not_let_it_look_gets_no_answer(make: Callable[..., _Proc]) -> None:
    proc = make(t41=Thread(1.6))
    proc.late = 1.6
    assert proc.why_not(41) == ["this machine is too busy to look at it every second"]


def test_without_examined_threads_no_time_passes(make: Callable[..., _Proc]) -> None:
    proc = make(t41=Thread(1.0))
    assert (busy.why_not_busy(Tree(str(proc.root)), []), proc.seconds) == ({}, 0)


def test_data_on_the_rdma_card_is_work(make: Callable[..., _Proc]) -> None:
    """A thread that moves data looks like one that waits for some."""
    proc = make(t41=Thread(1.0))
    proc.carry(1_000)
    proc.events = {1: lambda one: one.carry(1_000_000)}
    assert proc.why_not(41) == ["the RDMA card carries data: something is at work"]


def test_a_quiet_rdma_card_is_none(make: Callable[..., _Proc]) -> None:
    proc = make(t41=Thread(1.0))
    proc.carry(1_000)
    proc.events = {1: lambda one: one.carry(1_020)}
    assert proc.why_not(41) == [""]


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        (["0\n", "0\n"], ""),
        (["7\n"], "the GPU is at work"),
        (["0\n", "3\n"], "the GPU is at work"),
        (["[N/A]\n"], "whether the GPU is at work cannot be told (nvidia-smi)"),
        ([None], "whether the GPU is at work cannot be told (nvidia-smi)"),
    ],
)
def test_the_gpu_is_asked_first_and_last(
    make: Callable[..., _Proc], monkeypatch: pytest.MonkeyPatch, answers: list[str | None], why: str
) -> None:
    """What cannot be told is no idleness."""
    left = iter(answers)

    def run(*_arguments: object) -> dict[str, object]:
        said = next(left)
        return {"state": "absent"} if said is None else {"state": "present", "value": {"stdout": said}}

    monkeypatch.setattr("sparktune.agent.running.run_program", run)
    proc = make(t41=Thread(1.0))
    proc.have_gpu()
    assert proc.why_not(41) == [why]
    assert list(left) == []


def test_the_gpu_is_not_asked_when_nothing_is_left(make: Callable[..., _Proc], monkeypatch: pytest.MonkeyPatch) -> None:
    """A server at work is looked at every few seconds: a program each time would be work, too."""
    monkeypatch.setattr(gpu_idle.Devices, "_gpu_work", lambda _self: pytest.fail("asked"))
    proc = make(t41=Thread(1.0), t42=Thread(1.0))
    proc.have_gpu()
    assert all(proc.why_not(41, 42))
