"""What the processes and threads that want a core hold: read of these alone, after the windows.

Sources: proc(5) for fd, maps, wchan and syscall; rdma-core's device names (/dev/infiniband/uverbsN); the file names of
the libraries. A device and a mapping are of the whole process, so neither tells one of its threads from another.
"""

__all__ = ["evidence_of", "evidence_reads", "process_reads"]

import re
from collections.abc import Iterable

from sparktune.model.reads import Read, ReadFile, Readings, ReadLinks

_MOST_MAPS = 8 * 1024 * 1024
_VERBS = re.compile(r"/dev/infiniband/uverbs\d+", re.ASCII)
_LIBRARIES = ("libibverbs", "libmlx5", "libnccl", "libucp", "libuct", "libcuda")
_NOWHERE = {"", "0"}


def process_reads(pids: Iterable[int]) -> tuple[Read, ...]:
    """Return what names a process."""
    return tuple(ReadFile(path=f"/proc/{pid}/{name}") for pid in pids for name in ("comm", "cmdline", "cgroup"))


def evidence_reads(threads: Iterable[tuple[int, int]]) -> tuple[Read, ...]:
    """Return the reads for these threads, each process once."""
    keys = tuple(threads)
    pids = sorted({pid for pid, _tid in keys})
    return (
        *(ReadLinks(pattern=f"/proc/{pid}/fd/*") for pid in pids),
        *(ReadFile(path=f"/proc/{pid}/maps", most_bytes=_MOST_MAPS) for pid in pids),
        *(ReadFile(path=f"/proc/{pid}/task/{tid}/{name}") for pid, tid in keys for name in ("wchan", "syscall")),
    )


def evidence_of(pid: int, tid: int, readings: Readings) -> tuple[str, ...]:
    """Return lines for people about one thread."""
    devices = {target for target in readings.links.get(f"/proc/{pid}/fd/*", {}).values() if _VERBS.fullmatch(target)}
    maps = readings.file(f"/proc/{pid}/maps").value or ""
    lines = [f"its process has {', '.join(sorted(devices))} open"] if devices else []
    libraries = [name for name in _LIBRARIES if f"/{name}" in maps]
    lines += [f"its process maps {', '.join(libraries)}"] if libraries else []
    syscall = (readings.file(f"/proc/{pid}/task/{tid}/syscall").value or "").strip()
    where = (readings.file(f"/proc/{pid}/task/{tid}/wchan").value or "").strip()
    if syscall == "running":
        lines.append("it was running when asked, in no wait of the kernel")
    elif where not in _NOWHERE:
        lines.append(f"it was in {where} when asked")
    return tuple(lines)
