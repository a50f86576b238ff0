"""What a node's agent does in a transaction: one type per kind of step, as ``agent/protocol.py`` has it on the wire.

Every type has ``expect``: by item, what was seen when the plan was made, None for what was not there. The agent refuses
the whole transaction when one of these has changed since; items that are not named are not compared. Items: a file's,
link's or value's path; ``PCI-ADDRESS#K`` for the K-th vector of a device; ``PID/TID/START`` for a thread; ``UNIT
PROPERTY``; a unit; a container's id.
"""

__all__ = [
    "AffinityStep",
    "ContainerStep",
    "FileStep",
    "IrqStep",
    "IsolateStep",
    "LinkStep",
    "PropertyStep",
    "ReloadStep",
    "ServiceStep",
    "Step",
    "Task",
    "ThreadRuleStep",
    "ValueStep",
]

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Expect = Mapping[str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileStep:
    """A file of settings gets this ``text``, or is removed (None). A file that exists keeps its owner and mode."""

    path: str
    text: str | None
    mode: int = 0o644
    expect: Expect = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkStep:
    """A symbolic link gets this ``target``, or is removed (None)."""

    path: str
    target: str | None
    expect: Expect = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueStep:
    """A runtime value under /proc or /sys.

    ``form`` says how two texts are compared: as words, as a CPU list or as a hexadecimal CPU mask. ``lasting``: what
    was there before means something after a reboot, too (a sysctl). ``reapply``: the node writes it again at boot.
    """

    path: str
    text: str
    form: Literal["words", "cpulist", "mask"] = "words"
    lasting: bool = False
    reapply: bool = False
    expect: Expect = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class IrqStep:
    """All MSI vectors of PCI devices get CPUs: all of ``cpus`` each, or with ``spread`` the K-th one its K-th CPU.

    ``fixed`` names items that the kernel places itself: a write that is refused there is no failure. What one vector
    refuses does not undo the others. The node does this again at boot and when a device comes back; only then also for
    devices of ``vendors`` (PCI ids as sysfs has them) that were not there before, but for bridges.
    """

    devices: tuple[str, ...]
    cpus: tuple[int, ...]
    spread: bool = False
    vendors: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    reapply: bool = True
    expect: Expect = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One thread; ``start_time`` in clock ticks since boot (field 22 of its stat) makes it itself and no other."""

    pid: int
    tid: int
    start_time: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AffinityStep:
    """Threads get these CPUs; one that has ended meanwhile, or refuses, does not undo the others."""

    tasks: tuple[Task, ...]
    cpus: tuple[int, ...]
    expect: Expect = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadRuleStep:
    """Threads get these CPUs by what they are, not by their numbers, and so do those that come after a restart.

    ``exe`` is the name (without folders) of the program that the process runs, as the link /proc/PID/exe has it,
    ``process`` the name of the process and ``thread`` that of the thread, all compared as a whole; "" is any.
    ``which``: every thread of that name ("named"); the one that started the process ("main"); or those of that name
    that want a whole core, window after window, while all other threads of the process rest ("busy"): a thread that
    computes among others that compute is never taken. ``reapply``: the node looks again while this is applied. Items
    are ``PID/TID/START``, as of AffinityStep; none matching is no failure: one item that is called like the rule,
    ``EXE/PROCESS/THREAD`` with ``*`` for any, is "gone" then, and says why. At least two of the three names are given.

    The transaction is kept though it changed no thread, and each rule has its own way back. The unit that looks again
    goes with the transaction that wrote it: whoever undoes that one while others have rules has to write it anew.
    """

    exe: str
    process: str
    thread: str
    cpus: tuple[int, ...]
    which: Literal["named", "main", "busy"] = "named"
    reapply: bool = True
    expect: Expect = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyStep:
    """A property of a systemd unit until the next boot (``systemctl set-property --runtime``).

    It comes before files that make it last, so that it is undone after them: every reload makes a property what the
    files say. A list of CPUs is shown in the kernel's form, an empty one as None.
    """

    unit: str
    name: str
    value: str
    expect: Expect = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReloadStep:
    """Let systemd, or udev, read its files again; undoing does the same once more."""

    manager: Literal["systemd", "udev"] = "systemd"
    expect: Expect = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceStep:
    """Start, stop or (only when it runs) restart a unit; undoing brings back whether it ran, or restarts it again."""

    unit: str
    do: Literal["start", "stop", "restart"]
    expect: Expect = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class IsolateStep:
    """Switch to a target now, which ends what does not belong to it; undoing switches ``back`` when that was active."""

    target: str
    back: str = "graphical.target"
    expect: Expect = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerStep:
    """The cpuset of a running container, live (``docker update --cpuset-cpus``).

    Docker cannot take a cpuset away again: where there was none, undoing sets ``all_cpus``.
    """

    container: str
    cpus: str
    all_cpus: str
    expect: Expect = field(default_factory=dict)


Step = (
    FileStep
    | LinkStep
    | ValueStep
    | IrqStep
    | AffinityStep
    | PropertyStep
    | ReloadStep
    | ServiceStep
    | IsolateStep
    | ContainerStep
    | ThreadRuleStep
)
