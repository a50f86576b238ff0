"""What is done to set an arm of an experiment, or to end it; others carry it out."""

__all__ = [
    "Action",
    "Apply",
    "AskPerson",
    "AwaitAnswer",
    "AwaitMemory",
    "EndService",
    "KeepLog",
    "KillService",
    "Reboot",
    "RunCommand",
    "RunOnNode",
    "ServiceProcess",
    "StartProcess",
    "Undo",
]

from collections.abc import Mapping
from dataclasses import dataclass, field

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
    """Run a script of the user's that switches the arm, and wait for its end; what it leaves running is to stay."""

    argv: tuple[str, ...]
    limit_s: Seconds = 900.0
    folder: str = ""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOnNode:
    """A command that starts or stops a service, run to its end by the node's agent; ``node`` "" is this machine.

    The agent runs only commands of its own list. ``codes`` are the exit codes that mean that it was done.
    ``arguments_from`` is as in ReadCommand: a read-only command whose words, each once, are added as arguments; when it
    prints none nothing runs, and that is well.
    """

    node: str
    argv: tuple[str, ...]
    folder: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    limit_s: Seconds = 900.0
    codes: tuple[int, ...] = (0,)
    arguments_from: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceProcess:
    """How the processes of a service are known on its node: a container by labels (all of them), or a unit by name.

    A plain process has neither: it is the one that listens at ``port``, with all that descends from it.
    """

    node: str
    labels: Mapping[str, str] = field(default_factory=dict)
    unit: str = ""
    port: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepLog:
    """Keep what a service has said since it was started, before it goes: a command of the node's read-only list.

    ``arguments_from`` is as in ReadCommand.
    """

    node: str
    argv: tuple[str, ...]
    name: str
    arguments_from: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitMemory:
    """Wait until nothing of a service runs and the node's memory has come back: measured, never a fixed time."""

    service: ServiceProcess
    limit_s: Seconds = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class KillService:
    """End a service at once to save its host: by the ids of its own containers or processes, never by a name."""

    service: ServiceProcess


@dataclass(frozen=True, slots=True, kw_only=True)
class EndService:
    """End a plain service of this machine where it runs: by its own ``command``, then what still listens by SIGTERM.

    That one is known by its number and start, never by a name.
    """

    service: ServiceProcess
    command: RunCommand | None = None
    limit_s: Seconds = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reboot:
    """Boot a node anew and wait until it is back; on this machine the experiment ends here and is resumed after it."""

    node: str
    limit_s: Seconds = 900.0


Action = (
    StartProcess
    | AwaitAnswer
    | RunCommand
    | AskPerson
    | Apply
    | Undo
    | RunOnNode
    | KeepLog
    | AwaitMemory
    | EndService
    | KillService
    | Reboot
)
