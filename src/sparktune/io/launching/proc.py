"""Processes as this machine's kernel has them: who they are, what was put into them, who listens where.

Source: proc(5), proc_pid_stat(5): the name may hold anything, so fields are counted behind the last ``)``; state 1,
parent 2, session 4, start time 20 (in clock ticks since boot). A process is itself and no later one with its number
when the start time and the boot are the same. proc_net(5): ``tcp`` with local address, state (0A listens) and inode.
"""

__all__ = [
    "Kin",
    "Seen",
    "all_kin",
    "all_seen",
    "available_bytes",
    "boot_id",
    "is_below",
    "kin_of",
    "listening_pids",
    "listening_ports",
    "look_at",
    "still_lives",
]

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sparktune.units import Bytes

_PROC: Final = Path("/proc")
_SOCKET: Final = re.compile(r"socket:\[(\d+)\]")
_LISTENS: Final = "0A"
_DEEPEST: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Kin:
    """A process by its numbers alone. ``dead``: it has ended and only waits to be reaped."""

    pid: int
    start_ticks: int
    parent: int
    session: int
    dead: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen(Kin):
    """One process with what was put into it. ``environment`` None: it cannot be read."""

    argv: tuple[str, ...]
    environment: tuple[str, ...] | None

    @property
    def name(self) -> str:
        """The last part of its program's name, as it was called."""
        return self.argv[0].rpartition("/")[2] if self.argv else "?"


def kin_of(pid: int) -> Kin | None:
    """Return a process as it is now, None when there is none of that number.

    This waits for nobody, whatever the process hangs in: only its memory is read under a lock of its own.
    """
    try:
        stat = (_PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    fields = stat[stat.rfind(")") + 1 :].split()
    return Kin(
        pid=pid,
        start_ticks=int(fields[19]),
        parent=int(fields[1]),
        session=int(fields[3]),
        dead=fields[0] in {"Z", "X"},
    )


def still_lives(one: Kin) -> bool:
    """Whether a process runs on: not ended, nor its number given to another since."""
    now = kin_of(one.pid)
    return now is not None and not now.dead and now.start_ticks == one.start_ticks


def all_kin() -> tuple[Kin, ...]:
    """Return every process that lives now, by its numbers alone."""
    found = [kin_of(int(path.name)) for path in _PROC.iterdir() if path.name.isdecimal()]
    return tuple(one for one in found if one is not None and not one.dead)


def is_below(pid: int, root: int) -> bool:
    """Tell whether a process is the one that is named, or a descendant of it."""
    for _ in range(_DEEPEST):
        if pid == root:
            return True
        kin = kin_of(pid)
        if kin is None or kin.parent <= 1:
            return False
        pid = kin.parent
    return False


def look_at(pid: int) -> Seen | None:
    """Return a process as it is now, None when there is none of that number."""
    kin = kin_of(pid)
    folder = _PROC / str(pid)
    if kin is None:
        return None
    return Seen(
        pid=pid,
        start_ticks=kin.start_ticks,
        parent=kin.parent,
        session=kin.session,
        dead=kin.dead,
        argv=_words(folder / "cmdline") or (),
        environment=_words(folder / "environ"),
    )


def all_seen() -> tuple[Seen, ...]:
    """Return every process that lives now."""
    numbers = [int(path.name) for path in _PROC.iterdir() if path.name.isdecimal()]
    found = [look_at(number) for number in numbers]
    return tuple(one for one in found if one is not None and not one.dead)


def boot_id() -> str:
    """Return the identity of this boot."""
    return (_PROC / "sys/kernel/random/boot_id").read_text().strip()


def available_bytes() -> Bytes | None:
    """Return MemAvailable, None where the kernel does not tell."""
    with suppress(OSError):
        found = re.search(r"^MemAvailable:\s+(\d+) kB", (_PROC / "meminfo").read_text(), re.MULTILINE)
        return int(found[1]) * 1024 if found else None
    return None


def listening_pids(port: int, among: tuple[Seen, ...]) -> tuple[int, ...]:
    """Return which of these processes listen on a TCP port here."""
    inodes = {inode for inode, found in _listeners(_PROC).items() if found == port}
    return tuple(one.pid for one in among if inodes & _sockets(one.pid)) if inodes else ()


def listening_ports(pid: int) -> tuple[int, ...]:
    """Return the TCP ports that a process listens on, in its own network; none where that cannot be seen."""
    sockets = _sockets(pid)
    return tuple(sorted({port for inode, port in _listeners(_PROC / str(pid)).items() if inode in sockets}))


def _listeners(folder: Path) -> dict[str, int]:
    """Return the ports that are listened on, by inode."""
    found: dict[str, int] = {}
    for name in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in (folder / "net" / name).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == _LISTENS:
                    found[fields[9]] = int(fields[1].rpartition(":")[2], 16)
    return found


def _sockets(pid: int) -> set[str]:
    found: set[str] = set()
    with suppress(OSError):
        for link in (_PROC / str(pid) / "fd").iterdir():
            with suppress(OSError):
                match = _SOCKET.fullmatch(str(link.readlink()))
                if match:
                    found.add(match[1])
    return found


def _words(path: Path) -> tuple[str, ...] | None:
    """Return what stands between NULs; a process that wrote its own title has one word with spaces."""
    try:
        text = path.read_bytes().decode("utf-8", "backslashreplace")
    except OSError:
        return None
    return tuple(text.removesuffix("\0").split("\0")) if text.strip("\0") else ()
