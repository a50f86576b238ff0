"""What setting an arm of an experiment takes: actions that others carry out, and how to see that it is live."""

__all__ = [
    "OF_ONE_START",
    "ArmPlan",
    "ArmSpec",
    "Launcher",
    "LiveCommand",
    "LiveJson",
    "LiveProcess",
    "LiveReader",
    "LiveService",
    "LiveSteps",
    "Seen",
]

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from sparktune.model.arm_action import Action, ServiceProcess
from sparktune.model.reads import Read, Readings
from sparktune.model.step import Step


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveJson:
    """A value that the server itself tells: a path of its HTTP address, and keys into the JSON (``a.b.0.c``)."""

    name: str
    path: str
    keys: str
    wanted: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveCommand:
    """What a command of the user's prints, stripped."""

    name: str
    argv: tuple[str, ...]
    wanted: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveProcess:
    """The command line and environment of the started process, as the kernel has them."""

    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSteps:
    """Every item of these steps, read on the node again.

    ``undone``: the items must not be as the steps leave them, but as they were before the experiment touched them.
    """

    node: str
    steps: tuple[Step, ...]
    undone: bool = False


OF_ONE_START: Final = "started"
"""The last word of names whose values are those of one start: they differ from visit to visit, not within one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveService:
    """The serving process of a service, read from inside: its own arguments and variables, as the kernel has them.

    Never what a container or unit was declared with. ``flags`` by name as the engine takes it (``--max-num-seqs``): the
    wanted text, "" for a flag without a value, None for one that must not be there. ``environment`` likewise.
    ``cpus`` is the CPU list that every thread may use, "" for no matter. When it was started is one of the values read:
    a service that was started anew between two readings is not the same one.
    """

    service: ServiceProcess
    flags: Mapping[str, str | None] = field(default_factory=dict)
    environment: Mapping[str, str | None] = field(default_factory=dict)
    cpus: str = ""


LiveReader = LiveJson | LiveCommand | LiveProcess | LiveSteps | LiveService


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmSpec:
    """What an experiment says of its arms: their settings, how they are read back, and where they are set.

    ``arms`` by letter; ``live`` and ``where`` in the launcher's words. ``where`` lists the parts of a service, each on
    its node, in the order in which they are started. ``endpoint`` is the server's address. ``anew``: what runs may be
    something else than its files say, and is not to be brought back exactly as it runs.
    """

    arms: Mapping[str, Mapping[str, Any]]
    live: Mapping[str, Any] = field(default_factory=dict)
    where: tuple[Mapping[str, Any], ...] = ()
    endpoint: str = ""
    anew: bool = False


Seen = Mapping[str, Readings]
"""What was read of the nodes before anything was touched, by node; "" is this machine."""


def _nothing_seen(_spec: ArmSpec, _seen: Seen) -> Mapping[str, tuple[Read, ...]]:
    """Return no reads: for launchers that need to see nothing before they plan."""
    return {}


def _nothing_begins(_spec: ArmSpec, _seen: Seen) -> tuple[Action, ...]:
    """Return no actions: for launchers that find nothing running."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmPlan:
    """How one arm is set, and every way to see that it is; without a reader nothing can be measured.

    ``actions`` set it where nothing of another arm is left. ``leave`` ends it: what they name is carried out before
    another arm is set, and transactions are undone after it. ``kill`` ends it within a second or so, to save the host.
    ``takes`` says what the setting costs: nothing, a restart of the service, or one of the machine.
    """

    actions: tuple[Action, ...]
    readers: tuple[LiveReader, ...]
    takes: Literal["live", "restart", "reboot"]
    leave: tuple[Action, ...] = ()
    kill: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Launcher:
    """One way to set arms; the constant ``LAUNCHER`` of one file in ``deploy/launchers``. All of it is pure.

    ``id`` is what ``launcher:`` says in an experiment file; ``title`` names it for people. ``check(spec)`` raises
    ValueError with what is wrong in the settings, as far as that can be told without looking at a node. ``reads(spec,
    seen)`` says what has to be read of the nodes first, as far as can be told from what was seen already: it is asked
    again with the answers until it names nothing new, since one file may name the next. The answers are the ``Seen``
    of everything else, and what they show may raise ValueError as well. ``begin(spec, seen)`` are the actions that
    end what was running before the experiment; they may be carried out again after a crash. ``plan(spec, seen, "B")``
    is the plan of one arm (what arm A is may depend on what B changes). ``original(spec, seen)`` are the actions
    that, after everything was left and undone, bring back what was before the experiment.
    """

    id: str
    title: str
    check: Callable[[ArmSpec], None]
    plan: Callable[[ArmSpec, Seen, str], ArmPlan]
    original: Callable[[ArmSpec, Seen], tuple[Action, ...]]
    reads: Callable[[ArmSpec, Seen], Mapping[str, tuple[Read, ...]]] = _nothing_seen
    begin: Callable[[ArmSpec, Seen], tuple[Action, ...]] = _nothing_begins
