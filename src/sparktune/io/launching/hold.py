"""Hold an arm: set it, read it back, release it; and after a crash find what is left and take back exactly that.

Use: ``hold = Hold(settings, remember=..., ask=...)``; per visit ``await hold.set_arm("A", plan)``, ``reading = await
hold.read_live(plan)``, the trials, ``read_live`` again, ``await hold.release()``. In the end, or when something goes
wrong, ``await hold.release()`` and ``await hold.perform(launcher.original(arms))``. After a crash ``await
Hold.recover(record, settings)`` with the last record that was remembered, then ``perform`` of the original.
"""

__all__ = ["Ask", "Hold", "HoldSettings", "Recovered", "Remember"]

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparktune.io.cluster import NodeTarget
from sparktune.io.launching.reading import LiveReading
from sparktune.io.secrets import Secret
from sparktune.model.launcher import Action, ArmPlan
from sparktune.units import Bytes, Seconds

Remember = Callable[[Mapping[str, Any]], None]
"""Keep this record durably before returning; it replaces the one before. It is JSON and holds no secret."""

Ask = Callable[[str], Awaitable[None]]
"""Show a text to whoever sits at the terminal, and return when they say that it is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldSettings:
    """Where things are. ``log_folder`` gets one log per started program, ``work_folder`` is where they start.

    ``nodes`` by the names that steps use; "" is this machine when it is not named. ``environment`` is the caller's:
    programs inherit it, and ``${NAME}`` in commands and variables means its values. ``who`` is for the nodes' journals.
    """

    base_url: str
    log_folder: Path
    work_folder: Path
    environment: Mapping[str, str]
    api_key: Secret | None = None
    nodes: Mapping[str, NodeTarget] = field(default_factory=dict)
    who: str = "sparktune ab"
    terminate_s: Seconds = 20.0
    kill_s: Seconds = 10.0
    memory_s: Seconds = 60.0
    memory_slack_bytes: Bytes = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """What was found after a crash: ``done`` says what was stopped or undone, ``left`` what could not be and why."""

    done: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


class Hold:
    """One arm at a time. Every effect is remembered before it is had and after it."""

    def __init__(
        self,
        settings: HoldSettings,
        *,
        remember: Remember,
        ask: Ask | None = None,
        record: Mapping[str, Any] | None = None,
    ) -> None:
        """Touch nothing. ``ask`` is None where nobody can be asked; ``record`` is that of a run that is resumed."""
        raise NotImplementedError

    def state(self) -> Mapping[str, Any]:
        """Return the record of everything that was touched, as ``remember`` gets it."""
        raise NotImplementedError

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be said of this arm and stops nothing: memory that did not come back, a program killed."""
        raise NotImplementedError

    async def set_arm(self, arm: str, plan: ArmPlan) -> None:
        """Release what is held, then carry out the plan's actions.

        Raises ArmFailed (a program that ended, does not answer, cannot be stopped; a server of somebody else at the
        address), UsageError (a variable that is not set, nobody to ask), NodeError and HostError. What was begun is
        released before it raises.
        """
        raise NotImplementedError

    async def read_live(self, plan: ArmPlan) -> LiveReading:
        """Ask every reader of the plan; what cannot be read is not live. Raises nothing but what a bug raises."""
        raise NotImplementedError

    def ended(self) -> str:
        """Return how the started server has ended, with the last lines of its log; "" while it runs, or none was."""
        raise NotImplementedError

    async def release(self) -> None:
        """Stop what was started and undo what was applied; safe to call twice, and when nothing is held.

        Raises ArmFailed when something of ours does not end or something still answers; NodeError, HostError.
        """
        raise NotImplementedError

    async def perform(self, actions: Sequence[Action]) -> None:
        """Carry out single actions, for instance those that bring back the original. Raises as ``set_arm``."""
        raise NotImplementedError

    @classmethod
    async def recover(cls, record: Mapping[str, Any], settings: HoldSettings, *, remember: Remember) -> Recovered:
        """Find what a crashed run left running or applied, stop and undo exactly that; safe to call again.

        A process is ours when its number and start time are those of the record, or when its environment has the mark
        that the record names: nothing is ever known by its name.
        """
        raise NotImplementedError
