"""Plans for a machine: what would be done, what stands against it, and what is so now."""

__all__ = [
    "ChangePlan",
    "CheckStatus",
    "HostChange",
    "HostCheck",
    "HostView",
    "NodePlan",
    "PlannedStep",
    "Refusal",
    "TakesEffect",
]

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from sparktune.model.node import NodeFacts
from sparktune.model.profile import Profile
from sparktune.model.reads import Read, Readings
from sparktune.model.step import Step
from sparktune.model.transaction import JournalEntry


class TakesEffect(Enum):
    """When a step counts: at once, when a service or container is started again, or at the next boot."""

    LIVE = "live"
    RESTART = "restart"
    REBOOT = "reboot"


class CheckStatus(Enum):
    """What looking for a wanted state came to; PENDING_REBOOT: files say it, the next boot will do it."""

    OK = "OK"
    DIFFERENT = "DIFFERENT"
    ABSENT = "ABSENT"
    UNREADABLE = "UNREADABLE"
    PENDING_REBOOT = "PENDING_REBOOT"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedStep:
    """``step`` for the agent, the rest for people: ``target`` is what is changed, ``before`` and ``after`` its values.

    ``diff`` is a unified diff where a file is edited. ``cuts_off``: it may cost the connection to the node.
    """

    change: str
    target: str
    before: str
    after: str
    takes_effect: TakesEffect
    step: Step
    diff: str = ""
    cuts_off: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a plan must not be carried out. ``allow`` is the flag that accepts it, empty when none does.

    ``evidence`` are lines to show, for instance the processes that would suffer.
    """

    change: str
    reason: str
    hint: str
    evidence: tuple[str, ...] = ()
    allow: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePlan:
    """What one change comes to on one node; no steps when all is as wanted. ``notes`` say what is left as it is."""

    steps: tuple[PlannedStep, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePlan:
    """The whole plan of a node, bound to this boot of it. ``notes`` and ``refusals`` of all changes, in their order."""

    node: str
    boot_id: str
    profile: Profile
    steps: tuple[PlannedStep, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCheck:
    """One wanted state and the effective one, as texts; ``why`` explains a status that is not OK."""

    change: str
    target: str
    wanted: str
    effective: str
    status: CheckStatus
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostView:
    """A node as a change sees it. ``readings`` has the answers to the change's own ``reads``.

    ``applied_boot`` is the boot in which the profile was applied, None when it is not applied: then ``verify`` tells
    only what still waits for a reboot (files that say one thing while the running system has another). ``entries`` is
    what applied transactions did, where ``verify`` knows the journal: it tells of what was there and is gone.
    """

    facts: NodeFacts
    profile: Profile
    readings: Readings = field(default_factory=Readings)
    boot_id: str = ""
    applied_boot: str | None = None
    entries: tuple[JournalEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HostChange:
    """One change to a machine; the constant ``CHANGE`` of one file in ``host/changes``.

    ``id`` is a stable word (``irq-affinity``) that ``--without`` takes; ``title`` names it. ``does`` and ``does_not``
    say in a sentence each what it changes and what it leaves; ``effect`` what it is expected to gain, "none measured"
    where that is the truth; ``source`` where the facts come from. ``order`` places it in a plan: what protects comes
    before what restricts. ``reads`` are asked in a second round, when facts are known. All functions are pure; they
    raise nothing: facts that are missing become refusals, notes or UNREADABLE checks, never guesses.
    """

    id: str
    title: str
    does: str
    does_not: str
    effect: str
    source: str
    order: int
    plan: Callable[[HostView], ChangePlan]
    verify: Callable[[HostView], tuple[HostCheck, ...]]
    reads: Callable[[NodeFacts, Profile], tuple[Read, ...]] = lambda _facts, _profile: ()
