"""All threads of a machine: which cores each may use, where it ran last, and whether it can be moved at all.

Source: proc(5) for stat, status and cgroup; the flags of field 9 of stat are those of the kernel's
``include/linux/sched.h``: PF_KTHREAD, a thread of the kernel, and PF_NO_SETAFFINITY, one that nobody may move.
"""

__all__ = ["TASK_READS", "LiveTask", "Tasks", "tasks_of"]

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sparktune.host.cpulist import CpuSet, parse_cpulist
from sparktune.host.facts._shared import bounded_int
from sparktune.model.observed import Observed, absent
from sparktune.model.reads import Read, ReadFiles, Readings

_STAT = "/proc/[0-9]*/task/*/stat"
_STATUS = "/proc/[0-9]*/task/*/status"
_CGROUP = "/proc/[0-9]*/cgroup"
TASK_READS: tuple[Read, ...] = (
    ReadFiles(pattern=_STAT),
    ReadFiles(pattern=_STATUS, lines=("Name:", "Cpus_allowed_list:")),
    ReadFiles(pattern=_CGROUP, lines=("0::",)),
)

_PATH = re.compile(r"/proc/(\d{1,10})/task/(\d{1,10})/stat", re.ASCII)
_ALLOWED = re.compile(r"^Cpus_allowed_list:[\t ]*(\S+)", re.MULTILINE)
_NAME = re.compile(r"^Name:[\t ]*(.+)$", re.MULTILINE)
# Fields of stat, counted from the state, which follows the name in parentheses
_FLAGS, _STARTED, _LAST_CORE = 6, 19, 36
_KERNEL_THREAD, _FIXED = 0x0020_0000, 0x0400_0000


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveTask:
    """One thread. ``start_time`` in clock ticks since boot; ``cgroup`` is its process's, empty when unknown.

    ``kernel``: a thread of the kernel. ``fixed``: the kernel lets nobody move it.
    """

    pid: int
    tid: int
    name: str
    start_time: int
    allowed: CpuSet
    last_core: int
    cgroup: str = ""
    kernel: bool = False
    fixed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks:
    """The threads by process and number; ``cgroups`` by process; ``gaps`` says why threads are missing, if they are."""

    tasks: tuple[LiveTask, ...] = ()
    cgroups: Mapping[int, str] = field(default_factory=dict)
    gaps: str = ""

    def names(self) -> dict[int, str]:
        """Return the name of each process: that of its first thread."""
        found: dict[int, str] = {}
        for task in self.tasks:
            if task.tid == task.pid or task.pid not in found:
                found[task.pid] = task.name
        return found


def tasks_of(readings: Readings) -> Tasks:
    """Return the threads of the answers to ``TASK_READS``; those that ended in between are not among them."""
    cgroups = {
        int(path.split("/")[2]): text.value.strip().removeprefix("0::")
        for path, text in readings.matching(_CGROUP).items()
        if text.value and text.value.startswith("0::")
    }
    statuses = readings.matching(_STATUS)
    found = []
    for path, stat in readings.matching(_STAT).items():
        match = _PATH.fullmatch(path)
        if match is not None:
            status = statuses.get(path.removesuffix("stat") + "status", absent())
            task = _task(int(match[1]), int(match[2]), stat, status, cgroups)
            found += [task] if task is not None else []
    gaps = [f"{pattern}: {readings.unread[pattern]}" for pattern in (_STAT, _STATUS) if pattern in readings.unread]
    return Tasks(
        tasks=tuple(sorted(found, key=lambda task: (task.pid, task.tid))), cgroups=cgroups, gaps="; ".join(gaps)
    )


def _task(
    pid: int, tid: int, stat: Observed[str], status: Observed[str], cgroups: Mapping[int, str]
) -> LiveTask | None:
    text, said = stat.value or "", status.value or ""
    fields, line = text[text.rfind(")") + 1 :].split(), _ALLOWED.search(said)
    if line is None or ")" not in text or len(fields) <= _LAST_CORE:
        return None
    try:
        flags, started, last = (bounded_int(fields[place]) for place in (_FLAGS, _STARTED, _LAST_CORE))
        allowed = parse_cpulist(line[1])
    except ValueError:
        return None
    name = _NAME.search(said)
    return LiveTask(
        pid=pid,
        tid=tid,
        name=name[1].strip() if name else text[text.find("(") + 1 : text.rfind(")")],
        start_time=started,
        allowed=allowed,
        last_core=last,
        cgroup=cgroups.get(pid, ""),
        kernel=bool(flags & _KERNEL_THREAD),
        fixed=bool(flags & _FIXED),
    )
