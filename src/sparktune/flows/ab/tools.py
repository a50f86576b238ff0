"""What an experiment works with, and how a step that must not be left half done is brought to its end."""

__all__ = ["AbTools", "Holder", "to_the_end"]

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from sparktune.bench.corpus import Corpus
from sparktune.deploy.arm_planner import ArmPlanner
from sparktune.errors import Interrupted
from sparktune.flows.ab.gate import Gate
from sparktune.flows.ab.guard import WatchOpener, no_watch
from sparktune.flows.bench.progress import Progress
from sparktune.host.cpulist import CpuSet
from sparktune.io.launching.reading import LiveReading
from sparktune.io.secrets import Secret
from sparktune.io.store.store import Store
from sparktune.model.arm_action import Action
from sparktune.model.guard import LoadTick
from sparktune.model.launcher import ArmPlan
from sparktune.units import Seconds

_T = TypeVar("_T")


class Holder(Protocol):
    """What ``io.launching.hold.Hold`` does; see there."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be said of the arm that is held."""

    def bring_back_anyway(self) -> None:
        """Give back what is held, also when that cannot be remembered."""

    def state(self) -> Mapping[str, Any]:
        """Return the record of everything that was touched."""

    async def set_arm(self, arm: str, plan: ArmPlan) -> None:
        """Release what is held, then carry out the plan's actions."""

    async def after_boot(self, plan: ArmPlan) -> None:
        """Go on with an arm that was set before this machine booted."""

    async def read_live(self, plan: ArmPlan) -> LiveReading:
        """Ask every reader of the plan."""

    def ended(self) -> str:
        """Return how the started server has ended, "" while it runs, or none was."""

    async def release(self) -> None:
        """Stop what was started and undo what was applied."""

    async def kill(self) -> None:
        """End the server of the arm that is held at once, to save its host."""

    async def perform(self, actions: Sequence[Action]) -> None:
        """Carry out single actions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AbTools:
    """``go_on`` shows why going on looks hopeless and returns whether to do it all the same.

    ``accept`` sets the winner in the end, in the place of the original. ``wall_s`` is Unix time. ``watch`` opens the
    guards of a visit. ``asks`` tells, until it is cancelled, for how long the endpoint has not answered a plain
    question; None where nobody asks it. ``cores`` are those that the client measures on, none named: all.
    """

    store: Store
    hold: Holder
    planner: ArmPlanner
    gate: Gate
    progress: Progress
    corpus: Corpus
    secret: Secret | None
    argv: Sequence[str]
    entropy: Callable[[int], bytes]
    wall_s: Callable[[], Seconds]
    sleep: Callable[[Seconds], Awaitable[None]]
    go_on: Callable[[str], Awaitable[bool]]
    accept: bool = False
    watch: WatchOpener = no_watch
    cores: CpuSet = frozenset()
    asks: Callable[[Callable[[LoadTick], None]], Coroutine[Any, Any, None]] | None = None


def _seen(task: asyncio.Future[Any]) -> None:
    """Look at how it ended: of a third Ctrl-C asyncio would print a traceback besides."""
    if not task.cancelled():
        task.exception()


async def to_the_end(work: Awaitable[_T], say: Callable[[str], None], command: str = "sparktune ab") -> _T:
    """Return what ``work`` comes to; a Ctrl-C meanwhile is told and obeyed after it. Raises Interrupted then."""
    task = asyncio.ensure_future(work)
    task.add_done_callback(_seen)
    asked = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if task.done() or current is None:
                break
            current.uncancel()
            asked = True
            later = f"{command} resume --restore-only"
            say(f"first everything is brought back; Ctrl-C once more leaves it as it is, for later: {later}")
        except Exception:  # noqa: BLE001 - it is raised below, where the task's result is taken
            break
    result = task.result()
    if asked:
        message = "interrupted; everything was brought back first"
        raise Interrupted(message, hint=f"see it with: {command} show")
    return result
