"""Threads that take a core while nothing is to do: what was seen of each, what it is, and what to do about it."""

__all__ = [
    "IdleGate",
    "IrqHit",
    "KnownPoller",
    "Poller",
    "PollerVerdict",
    "ThreadSeen",
    "ThreadWindow",
]

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from sparktune.units import Celsius, Ratio, Seconds


class PollerVerdict(Enum):
    """What a thread is. CERTAIN: it took a core in every window while its service was shown to be idle.

    LIKELY: the same, and idleness is not shown on all counts. UNDER_LOAD: it takes a core, and work was there; whether
    it polls cannot be told from outside. NOT: it sleeps, or computes.
    """

    CERTAIN = "certain"
    LIKELY = "likely"
    UNDER_LOAD = "only under load"
    NOT = "not"


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadWindow:
    """One window of one thread.

    ``demand`` is the share of the window in which it ran or waited to run: on a loaded machine a poller runs little
    and wants to run always. It is above 1 where a wait that began earlier ended in the window. ``ran`` is the share in
    which it ran; ``voluntary_per_s`` its voluntary switches; ``system`` the share of its running time in the kernel, by
    ticks of 10 ms, so that it takes many windows of one that runs little; None without a tick. ``core`` it
    was last on. ``idle`` tells whether the gate was open: None for untold. ``faults_per_s`` are its minor page faults:
    time in the kernel that is work, not polling; ``moved_bytes_per_s`` what its reads and writes moved, which is work,
    too; both None where untold. ``switches_told`` is False where nobody counted switches, as in what top printed.
    """

    length_s: Seconds
    demand: Ratio
    ran: Ratio
    voluntary_per_s: float
    system: Ratio | None
    core: int | None
    idle: bool | None = None
    faults_per_s: float | None = None
    moved_bytes_per_s: float | None = None
    switches_told: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadSeen:
    """One thread over all windows; ``start_ticks`` tells it from a later one with its number.

    ``process`` is the name of its process, ``argv`` its command line, ``engine`` and ``role`` as ``role_of`` tells
    them. ``age_s`` is how long it has lived. ``allowed`` is its CPU list. ``evidence`` are lines for people: devices
    that it has open, libraries that are mapped, what it does in the kernel.
    """

    pid: int
    tid: int
    start_ticks: int
    name: str
    process: str
    argv: tuple[str, ...] = ()
    engine: str = ""
    role: str = ""
    age_s: Seconds | None = None
    allowed: str = ""
    cgroup: str = ""
    windows: tuple[ThreadWindow, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleGate:
    """Whether a node had nothing to do in a window, count by count: None where nobody tells.

    ``requests``: no request runs or waits at the engine; ``gpu``: the GPU does nothing; ``rdma``: no RDMA traffic.
    """

    requests: bool | None = None
    gpu: bool | None = None
    rdma: bool | None = None

    @property
    def shown(self) -> bool | None:
        """True when all three are told and idle, False when one is busy, None else."""
        told = (self.requests, self.gpu, self.rdma)
        if False in told:
            return False
        return True if all(told) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class IrqHit:
    """One interrupt that hits performance cores while a node is watched: how often a second, by core.

    ``device`` is the PCI address that it is of. ``movable`` is False where the kernel places it itself. ``then`` is
    what can be done; that it makes anything faster or cooler nobody has measured.
    """

    irq: int
    name: str
    device: str
    per_cpu: Mapping[int, float]
    movable: bool
    then: str

    @property
    def per_s(self) -> float:
        """How often a second, on all performance cores."""
        return sum(self.per_cpu.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPoller:
    """A poller that is known by name; the constant ``POLLER`` of one file in ``host/pollers/known``.

    ``process`` is searched in the process's name and the first words of its command line, ``thread`` in the thread's
    name (None: any). ``needs`` are words of which one must be in its evidence (() for none). ``fix`` is the best first
    step: a newer build, a setting; ``placement`` whether moving the thread alone is safe, and ``why`` what is known.
    ``computes``: threads of this kind do the work; they are never moved, whatever they look like.
    """

    id: str
    title: str
    process: re.Pattern[str]
    why: str
    fix: str
    source: str
    thread: re.Pattern[str] | None = None
    needs: tuple[str, ...] = ()
    placement: bool = True
    computes: bool = False
    fix_of: Callable[[ThreadSeen], str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Poller:
    """A thread with its verdict.

    ``core_kind`` is "performance", "efficiency" or "" (unknown). ``cores`` is what it costs, in cores. ``known`` is the
    kind that it is of, None for none. ``why`` says what the verdict rests on; ``fix`` the first thing to do, ``then``
    the second. ``heat`` are temperatures by sensor, for the person to compare with afterwards.
    """

    node: str
    thread: ThreadSeen
    verdict: PollerVerdict
    cores: Ratio
    core_kind: str = ""
    known: KnownPoller | None = None
    why: str = ""
    fix: str = ""
    then: str = ""
    heat: Mapping[str, Celsius] = field(default_factory=dict)
