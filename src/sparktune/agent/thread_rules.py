"""Which threads a rule means: program, process and thread by their names, whatever their numbers are today.

Sources: proc(5): ``exe`` leads to the program, with `` (deleted)`` behind it when its file was replaced, and to nothing
for a thread of the kernel; ``comm`` is a name of at most 15 bytes that a thread may change; stat, fields 3, 9 and 22.

A node's timer looks every few seconds: names first, the rest only of what they leave, and no module that costs time.
"""

__all__ = ["FEWEST_NAMES", "Seen", "allowed_of", "names_of", "numbers_in", "raw", "threads_meant"]

import errno
import os
from collections.abc import Mapping

TYPE_CHECKING = False  # the module typing costs more than a look at all processes
if TYPE_CHECKING:
    from typing import Protocol

    class Paths(Protocol):
        """What a ``Tree`` knows of paths; all that is needed here."""

        root: str

        def real(self, path: str, *, follow: bool = True) -> str:
            """Return where a path really is. Raises OSError."""


FEWEST_NAMES = 2
_GONE = (errno.ENOENT, errno.ESRCH, errno.ENOTDIR)
_OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_DELETED = " (deleted)"
_ALLOWED = "\nCpus_allowed_list:"
_CHUNK = 65_536
# Fields of stat, counted from the state, which follows the name in parentheses.
_STATE, _FLAGS, _STARTED = 0, 6, 19
_KERNEL_THREAD = 0x0020_0000


class Seen:
    """A thread that a rule means; ``start`` in ticks since boot, ``runs`` when it was running or waiting for a core."""

    __slots__ = ("pid", "runs", "start", "tid")

    def __init__(self, pid: int, tid: int, start: int, *, runs: bool) -> None:
        """Keep who it is."""
        self.pid, self.tid, self.start, self.runs = pid, tid, start, runs

    @property
    def item(self) -> str:
        """What it is called in a reading."""
        return f"{self.pid}/{self.tid}/{self.start}"


def names_of(step: Mapping[str, object]) -> tuple[str, str, str]:
    """Return the program, the process and the thread that a step names, "" for any."""
    exe, process, thread = (str(step.get(name) or "") for name in ("exe", "process", "thread"))
    return exe, process, thread


def threads_meant(tree: "Paths", step: Mapping[str, object]) -> list[Seen]:
    """Return the threads that the names of a step mean now; of "busy" all those that it could be. Raises OSError.

    One that ends meanwhile is left out, and so are the kernel's own.
    """
    exe, process, thread = names_of(step)
    found = []
    for pid in numbers_in(tree, "/proc"):
        if (process and _name(tree, f"/proc/{pid}") != process) or (exe and _program(tree, pid) != exe):
            continue
        tids = [pid] if step.get("which") == "main" else numbers_in(tree, f"/proc/{pid}/task")
        for tid in tids:
            folder = f"/proc/{pid}/task/{tid}"
            seen = None if thread and _name(tree, folder) != thread else _seen(tree, pid, tid)
            if seen is not None:
                found.append(seen)
    return found


def allowed_of(tree: "Paths", seen: Seen) -> str:
    """Return the list of CPUs that a thread may use, "" when it has ended. Raises OSError."""
    status = raw(tree, f"/proc/{seen.pid}/task/{seen.tid}/status")
    _, found, rest = status.partition(_ALLOWED)
    return rest.partition("\n")[0].strip() if found else ""


def numbers_in(tree: "Paths", folder: str) -> list[int]:
    """Return the numbers that name something in a folder of /proc, in order; none when it is gone. Raises OSError."""
    try:
        return sorted(int(name) for name in os.listdir(tree.real(folder)) if name.isdecimal() and name.isascii())
    except OSError as error:
        if error.errno in _GONE:
            return []
        raise


def raw(tree: "Paths", path: str) -> str:
    """Return the text of a file of /proc, "" when it is gone. Raises OSError."""
    try:
        handle = os.open(tree.real(path), _OPEN)
        try:
            pieces = [os.read(handle, _CHUNK)]
            while len(pieces[-1]) == _CHUNK:
                pieces.append(os.read(handle, _CHUNK))
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno in _GONE:
            return ""
        raise
    return b"".join(pieces).decode("utf-8", "replace")


def _name(tree: "Paths", folder: str) -> str:
    return raw(tree, f"{folder}/comm").removesuffix("\n")


def _program(tree: "Paths", pid: int) -> str:
    try:
        target = os.readlink(tree.real(f"/proc/{pid}/exe", follow=False))
    except OSError as error:
        if error.errno in (*_GONE, errno.EINVAL):
            return ""
        raise
    return os.fsencode(target).decode("utf-8", "replace").removesuffix(_DELETED).rpartition("/")[2]


def _seen(tree: "Paths", pid: int, tid: int) -> Seen | None:
    stat = raw(tree, f"/proc/{pid}/task/{tid}/stat")
    fields = stat[stat.rfind(")") + 1 :].split()
    if len(fields) <= _STARTED or int(fields[_FLAGS]) & _KERNEL_THREAD:
        return None
    return Seen(pid, tid, int(fields[_STARTED]), runs=fields[_STATE] == "R")
