"""Pinning a thread that polls: what is wished, what was seen of its process, what is planned for it, what is so."""

__all__ = [
    "CgroupCpus",
    "LeftThread",
    "NodePins",
    "Pin",
    "PinWish",
    "PlaceSeen",
    "ProcessSeen",
    "RuleRow",
    "RuleState",
]

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from sparktune.model.host_plan import NodePlan
from sparktune.model.observed import Observed, absent
from sparktune.model.place import Poller
from sparktune.model.step import ThreadRuleStep


@dataclass(frozen=True, slots=True, kw_only=True)
class PinWish:
    """``tids`` by node are threads that were named by their numbers, ``process`` and ``thread`` names ("" for any).

    Without any of these all threads are meant that certainly poll. ``cpus`` were chosen by hand, () for the efficiency
    cores. ``once``: until the thread ends, without a rule. ``accept_likely``: the user says of threads that are LIKELY
    that they poll.
    """

    tids: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    process: str = ""
    thread: str = ""
    cpus: tuple[int, ...] = ()
    once: bool = False
    accept_likely: bool = False

    @property
    def named(self) -> bool:
        """Whether somebody said which threads: then one that cannot be moved is a refusal, and not merely left."""
        return bool(self.tids or self.process or self.thread)


@dataclass(frozen=True, slots=True, kw_only=True)
class CgroupCpus:
    """A control group with the CPUs that it leaves to what is below it."""

    path: str
    cpus: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSeen:
    """``exe`` is the name of its program, without folders. ``threads`` are the names of its threads, by number.

    ``groups`` are its control group and those above it, the highest first, as far as they tell their CPUs.
    """

    pid: int
    exe: Observed[str] = field(default_factory=absent)
    threads: Mapping[int, str] = field(default_factory=dict)
    groups: tuple[CgroupCpus, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceSeen:
    """What a node told for a plan.

    ``efficiency`` are its online efficiency cores; UNREADABLE with the reason where fast and slow ones cannot be told
    apart. ``online`` is empty where that is not told. ``systemd``: it runs there. ``units`` are the texts, and the
    targets of links, that are there at the paths of ours; ``timer`` whether our timer is active. ``rules`` are those
    that are applied already, ``unended`` the names of transactions that broke off half-way, which are taken back before
    anything is done.
    """

    boot_id: str
    efficiency: Observed[frozenset[int]]
    online: frozenset[int] = frozenset()
    processes: Mapping[int, ProcessSeen] = field(default_factory=dict)
    systemd: bool = False
    units: Mapping[str, str] = field(default_factory=dict)
    timer: bool = False
    rules: tuple[ThreadRuleStep, ...] = ()
    unended: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """One thread that is to be moved: its CPUs now as the kernel lists them, those to come, and the rule that follows.

    ``rule`` is None where none is wished.
    """

    poller: Poller
    before: str
    cpus: frozenset[int]
    rule: ThreadRuleStep | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftThread:
    """A thread that is not moved, or a wish that nothing fits: why, and what to do instead.

    ``fine``: nothing has to be done with it.
    """

    what: str
    reason: str
    hint: str = ""
    fine: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePins:
    """What would be done on one node. ``plan`` has the steps, and as refusals what stands against the wish."""

    node: str
    plan: NodePlan
    pins: tuple[Pin, ...] = ()
    left: tuple[LeftThread, ...] = ()


class RuleState(Enum):
    """What became of a rule, or of a thread that was pinned once.

    OK: all threads that it is for have its CPUs. NOT_PINNED: one has others. CLIPPED: its cpuset leaves it only some of
    them. WAITING: the process is there, and none of its threads was found to poll so far. NO_PROCESS: there is none.
    UNREADABLE: it cannot be told.
    """

    OK = "OK"
    NOT_PINNED = "NOT PINNED"
    CLIPPED = "CLIPPED"
    WAITING = "WAITING"
    NO_PROCESS = "NO PROCESS"
    UNREADABLE = "UNREADABLE"

    @property
    def differs(self) -> bool:
        """Whether it is otherwise than wanted: a process that is not there, or not busy, wants nothing."""
        return self in {RuleState.NOT_PINNED, RuleState.CLIPPED, RuleState.UNREADABLE}


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRow:
    """``target`` says which threads, ``wanted`` their CPUs, ``found`` those of each that fits now, by PID/TID."""

    transaction: str
    target: str
    wanted: str
    state: RuleState
    found: Mapping[str, str] = field(default_factory=dict)
    why: str = ""
    lasting: bool = True
