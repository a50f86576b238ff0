"""Windows of threads: what each wanted of a core between two looks, and in which way it gave it up.

Sources: Documentation/scheduler/sched-stats.rst for schedstat (nanoseconds on a core, nanoseconds of waiting for one,
time slices); proc(5) for stat (utime, stime in ticks of 10 ms, minflt, processor, starttime), status (switches) and io
(rchar, wchar: bytes that reads and writes moved; only root and the process's own user may read it).
A look at every thread reads schedstat and stat alone; the rest is read of those that were found to want a core.
"""

__all__ = ["SURVEY_READS", "Look", "ThreadLook", "looks_of", "reads_of", "survey", "window_between"]

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sparktune.model.place import ThreadWindow
from sparktune.model.reads import ReadFile, ReadFiles, Sampled
from sparktune.model.sample import Sample
from sparktune.units import NS_PER_S, Nanoseconds, Ratio, Seconds, seconds_between

_PATH = re.compile(r"/proc/(\d{1,10})/task/(\d{1,10})/(schedstat|stat|status|io)", re.ASCII)
_SCHEDSTAT = re.compile(r"(\d{1,20}) (\d{1,20}) \d{1,20}", re.ASCII)
_VOLUNTARY = re.compile(r"^voluntary_ctxt_switches:[\t ]*(\d{1,20})$", re.MULTILINE | re.ASCII)
_MOVED = re.compile(r"rchar: (\d{1,20})\nwchar: (\d{1,20})\n", re.ASCII)
_ALLOWED = re.compile(r"^Cpus_allowed_list:[\t ]*(\S+)", re.MULTILINE)
# Fields of stat, counted from the state, which follows the name in parentheses
_STATE, _FLAGS, _FAULTS, _UTIME, _STIME, _STARTED, _CORE = 0, 6, 7, 11, 12, 19, 36
_KERNEL_THREAD = 0x0020_0000
_TOO_LONG = 5.0  # a loaded machine is late; what is later than that has stood still meanwhile
_RUNNABLE = "R"

SURVEY_READS: tuple[Sampled, ...] = tuple(
    ReadFiles(pattern=f"/proc/[0-9]*/task/[0-9]*/{name}") for name in ("schedstat", "stat")
)
"""What a look at every thread of a node reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadLook:
    """One thread at one instant; ``state`` is R while it runs or waits to run.

    ``voluntary`` and ``allowed`` are None and "" where status was not read, ``moved``, the bytes that its reads and
    writes have moved, None where io was not read.
    """

    pid: int
    tid: int
    start_ticks: int
    name: str
    state: str
    ran_ns: Nanoseconds
    waited_ns: Nanoseconds
    user_ticks: int
    system_ticks: int
    faults: int
    core: int
    kernel: bool
    voluntary: int | None = None
    allowed: str = ""
    moved: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """All threads at one instant of the node's own clock, by process and number."""

    monotonic_ns: Nanoseconds
    missed: int = 0
    threads: Mapping[tuple[int, int], ThreadLook] = field(default_factory=dict)


def reads_of(threads: Iterable[tuple[int, int]]) -> tuple[Sampled, ...]:
    """Return what is read of some threads in every window."""
    return tuple(
        ReadFile(path=f"/proc/{pid}/task/{tid}/{name}")
        for pid, tid in threads
        for name in ("schedstat", "stat", "status", "io")
    )


def looks_of(sample: Sample) -> Look:
    """Return the threads of a sample; one that ended between its files is not among them."""
    texts: dict[tuple[int, int], dict[str, str]] = {}
    for path, text in sample.texts.items():
        match = _PATH.fullmatch(path)
        if match is not None:
            texts.setdefault((int(match[1]), int(match[2])), {})[match[3]] = text
    found = {key: look for key, of in texts.items() if (look := _look(key, of)) is not None}
    return Look(monotonic_ns=sample.monotonic_ns, missed=sample.missed, threads=found)


def survey(before: Look, after: Look, least: Ratio) -> list[tuple[int, int]]:
    """Return the threads, none of the kernel's, that wanted at least so much of a core, the most wanting first.

    One that was ready to run at both looks is among them, too: it may have waited all the time.
    """
    elapsed = after.monotonic_ns - before.monotonic_ns
    wanted = []
    for key, last in after.threads.items():
        first = before.threads.get(key)
        if first is None or first.start_ticks != last.start_ticks or last.kernel or elapsed <= 0:
            continue
        demand = (last.ran_ns - first.ran_ns + last.waited_ns - first.waited_ns) / elapsed
        if demand >= least or _both_ready(first, last):
            wanted.append((-demand, key))
    return [key for _, key in sorted(wanted)]


def window_between(
    before: Look, after: Look, key: tuple[int, int], *, asked_s: Seconds, idle: bool | None
) -> ThreadWindow | None:
    """Return one thread's window; None where it came, ended, is another by now, or the window is no such window.

    The kernel counts a wait when it ends, so that counts lag on a loaded machine. A thread that was ready to run at
    both looks and never gave up its core of itself in between has wanted it all along, whatever has been counted yet.
    """
    first, last = before.threads.get(key), after.threads.get(key)
    length = seconds_between(before.monotonic_ns, after.monotonic_ns)
    if first is None or last is None or first.start_ticks != last.start_ticks:
        return None
    if length <= 0 or length > _TOO_LONG * asked_s or first.voluntary is None or last.voluntary is None:
        return None
    ran, waited = last.ran_ns - first.ran_ns, last.waited_ns - first.waited_ns
    never_slept = _both_ready(first, last) and first.voluntary == last.voluntary
    system = last.system_ticks - first.system_ticks
    ticks = system + last.user_ticks - first.user_ticks
    return ThreadWindow(
        length_s=length,
        demand=1.0 if never_slept else (ran + waited) / NS_PER_S / length,
        ran=min(ran / NS_PER_S / length, 1.0),
        voluntary_per_s=(last.voluntary - first.voluntary) / length,
        system=system / ticks if ticks else None,
        core=last.core,
        faults_per_s=(last.faults - first.faults) / length,
        moved_bytes_per_s=None if first.moved is None or last.moved is None else (last.moved - first.moved) / length,
        idle=idle,
    )


def _both_ready(first: ThreadLook, last: ThreadLook) -> bool:
    return first.state == last.state == _RUNNABLE


def _look(key: tuple[int, int], texts: Mapping[str, str]) -> ThreadLook | None:
    times, stat = _SCHEDSTAT.fullmatch(texts.get("schedstat", "").strip()), texts.get("stat", "")
    fields = stat[stat.rfind(")") + 1 :].split()
    if times is None or len(fields) <= _CORE or not all(word.lstrip("-").isdecimal() for word in fields[1 : _CORE + 1]):
        return None
    status = texts.get("status", "")
    voluntary, allowed = _VOLUNTARY.search(status), _ALLOWED.search(status)
    moved = _MOVED.match(texts.get("io", ""))
    return ThreadLook(
        pid=key[0],
        tid=key[1],
        start_ticks=int(fields[_STARTED]),
        name=stat[stat.find("(") + 1 : stat.rfind(")")],
        state=fields[_STATE],
        ran_ns=int(times[1]),
        waited_ns=int(times[2]),
        user_ticks=int(fields[_UTIME]),
        system_ticks=int(fields[_STIME]),
        faults=int(fields[_FAULTS]),
        core=int(fields[_CORE]),
        kernel=bool(int(fields[_FLAGS]) & _KERNEL_THREAD),
        voluntary=int(voluntary[1]) if voluntary else None,
        allowed=allowed[1] if allowed else "",
        moved=int(moved[1]) + int(moved[2]) if moved else None,
    )
