"""What setting an arm of an experiment takes: actions that others carry out, and how to see that it is live."""

__all__ = [
    "Action",
    "Apply",
    "ArmPlan",
    "AskPerson",
    "AwaitAnswer",
    "Launcher",
    "LiveCommand",
    "LiveJson",
    "LiveProcess",
    "LiveReader",
    "LiveSteps",
    "RunCommand",
    "StartProcess",
    "Undo",
]

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sparktune.model.step import Step
from sparktune.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class StartProcess:
    """Start a server of this arm after the other arm's has ended; it is stopped when its visit ends."""

    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitAnswer:
    """Wait until the endpoint generates a real token, not only until it answers."""

    limit_s: Seconds = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommand:
    """Run a script of the user's that switches the arm, and wait for its end."""

    argv: tuple[str, ...]
    limit_s: Seconds = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AskPerson:
    """Ask whoever sits at the terminal to switch the arm."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Apply:
    """Carry out steps on a node as one transaction of its agent; ``node`` "" is this machine."""

    node: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """Take back the transaction of the visit before, so that the arm is the machine as it was."""

    node: str


Action = StartProcess | AwaitAnswer | RunCommand | AskPerson | Apply | Undo


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


LiveReader = LiveJson | LiveCommand | LiveProcess | LiveSteps


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmPlan:
    """How one arm is set, and every way to see that it is; without a reader nothing can be measured."""

    actions: tuple[Action, ...]
    readers: tuple[LiveReader, ...]
    restarts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Launcher:
    """One way to set arms; the constant ``LAUNCHER`` of one file in ``deploy/launchers``.

    ``id`` is what ``launcher:`` says in an experiment file; ``title`` names it for people. ``plan(arms, live, "B")``
    turns the settings of all arms (what arm A is may depend on what B changes) and the file's ``live`` into the
    ArmPlan of one; it is pure and raises ValueError with what is wrong in them. ``original(arms)`` are the actions
    that, after everything was released, bring back what was before the experiment.
    """

    id: str
    title: str
    plan: Callable[[Mapping[str, Mapping[str, Any]], Mapping[str, Any], str], ArmPlan]
    original: Callable[[Mapping[str, Mapping[str, Any]]], tuple[Action, ...]]
