"""Hold an arm: set it, read it back, release it; and after a crash find what is left and take back exactly that.

Use: ``hold = Hold(settings, remember=..., ask=...)``; per visit ``await hold.set_arm("A", plan)``, ``reading = await
hold.read_live(plan)``, the trials, ``read_live`` again, ``await hold.release()``. In the end, or when something goes
wrong, ``await hold.release()`` and ``await hold.perform(launcher.original(arms))``. After a crash ``await
Hold.recover(record, settings, remember=...)`` with the last record that was remembered, then ``perform`` of the
original by a new Hold that goes on with the record.
"""

__all__ = ["Ask", "Hold", "HoldSettings", "Recovered", "Remember"]

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from sparktune.errors import UsageError
from sparktune.io.cluster import NodeTarget
from sparktune.io.http.address import parse_address
from sparktune.io.launching.answer import await_answer
from sparktune.io.launching.live import together
from sparktune.io.launching.nodes import apply_steps, undo_entry
from sparktune.io.launching.originals import keep_originals
from sparktune.io.launching.programs import Programs
from sparktune.io.launching.reader import Reader
from sparktune.io.launching.reading import LiveReading
from sparktune.io.launching.record import Record
from sparktune.io.launching.recovery import Recovered, recover
from sparktune.io.launching.settings import HoldSettings
from sparktune.io.launching.words import Words
from sparktune.model.launcher import (
    Action,
    Apply,
    ArmPlan,
    AskPerson,
    AwaitAnswer,
    RunCommand,
    StartProcess,
    Undo,
)

Remember = Callable[[Mapping[str, Any]], None]
"""Keep this record durably before returning; it replaces the one before. It is JSON and holds no secret."""

Ask = Callable[[str], Awaitable[None]]
"""Show a text to whoever sits at the terminal, and return when they say that it is done."""

_T = TypeVar("_T")


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
        self._settings, self._ask = settings, ask
        self._address = parse_address(settings.base_url)
        self._words = Words(settings.environment)
        self._record = Record(remember, record)
        self._programs = Programs(settings, self._address, self._words, self._record)
        self._foreign: list[str] = []
        self._held: ArmPlan | None = None
        self._reader = Reader(settings, self._words, self._record, self._programs)

    def state(self) -> Mapping[str, Any]:
        """Return the record of everything that was touched, as ``remember`` gets it."""
        return self._record.as_json()

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be said of this visit, and of how the one before it ended: memory that did not come back, a kill.

        They are forgotten when what is held is released.
        """
        return (*self._programs.notes, *self._foreign)

    async def set_arm(self, arm: str, plan: ArmPlan) -> None:
        """Release what is held, then carry out the plan's actions.

        Raises ArmFailed (a program that ended, does not answer, cannot be stopped; a server of somebody else at the
        address), UsageError (a variable that is not set, nobody to ask), NodeError and HostError. What was begun is
        released before it raises.
        """
        await self.release()
        self._record.set_arm(arm)
        self._held = plan
        try:
            await self.perform(plan.actions)
        except BaseException:
            await self.release()
            raise

    async def kill(self) -> None:
        """End the server of the arm that is held within a second or so, to save its host; ``release`` is still due.

        Raises as ``release``.
        """
        if self._held is not None:
            await self.perform(self._held.kill)
        await _unbroken(self._programs.kill())

    async def read_live(self, plan: ArmPlan) -> LiveReading:
        """Ask every reader of the plan; what cannot be read is not live, and the reading says why."""
        return together([await self._reader.read(reader) for reader in plan.readers])

    def ended(self) -> str:
        """Return how the started server has ended, with the last lines of its log; "" while it runs, or none was."""
        server = self._programs.server
        return "" if server is None else self._words.hide(server.ended)

    async def release(self) -> None:
        """Stop what was started and undo what was applied; safe to call twice, and when nothing is held.

        Once begun it comes to its end, also when the task is cancelled. Raises ArmFailed when something of ours does
        not end or something still answers; NodeError, HostError.
        """
        await _unbroken(self._release())

    async def perform(self, actions: Sequence[Action]) -> None:
        """Carry out single actions, for instance those that bring back the original. Raises as ``set_arm``."""
        for action in actions:
            await self._perform(action)

    @classmethod
    async def recover(cls, record: Mapping[str, Any], settings: HoldSettings, *, remember: Remember) -> Recovered:
        """Find what a crashed run left running or applied, stop and undo exactly that; safe to call again.

        A process is ours when its number and start time are those of the record, or when its environment has the mark
        that the record names: nothing is ever known by its name.
        """
        return await _unbroken(recover(Record(remember, record), settings))

    async def _release(self) -> None:
        if self._programs.server is not None or self._record.standing:
            self._programs.notes.clear()
            self._foreign.clear()
        try:
            await self._leave()
        finally:
            await self._undo_all("")
        self._record.set_arm("")

    async def _leave(self) -> None:
        held = self._held
        try:
            await self._programs.stop()
        finally:
            if held is not None:
                await self.perform(held.leave)
        self._held = None

    async def _perform(self, action: Action) -> None:
        arm = self._record.arm
        match action:
            case StartProcess():
                await self._programs.start_server(action, arm)
            case AwaitAnswer():
                base_url, key = self._settings.base_url, self._settings.api_key
                await await_answer(base_url, key, action.limit_s, self.ended, self._programs.living)
            case RunCommand():
                await self._programs.run_switch(action, arm)
            case AskPerson():
                await self._ask_person(action.text)
            case Apply():
                await _unbroken(self._apply(action))
            case Undo():
                await _unbroken(self._undo_all(action.node))

    async def _ask_person(self, text: str) -> None:
        if self._ask is None:
            message = f"somebody has to do this, and there is no terminal to ask at: {text}"
            raise UsageError(message, hint="run it in a terminal, or give each arm a switch: command")
        await self._ask(text)

    async def _apply(self, action: Apply) -> None:
        target = self._target(action.node)
        await keep_originals(self._record, action.node, target, action.steps)
        await apply_steps(action.node, target, action.steps, self._settings.who, self._record.put_node)

    async def _undo_all(self, node: str) -> None:
        """Undo what stands on a node, or everywhere for "": the newest first."""
        for entry in self._record.standing:
            if node in {"", entry.node}:
                self._foreign += await undo_entry(entry, self._settings.who, self._record.put_node)

    def _target(self, node: str) -> NodeTarget:
        return self._settings.target(node)


async def _unbroken(work: Coroutine[Any, Any, _T]) -> _T:
    """Let work come to its end however often the task is cancelled: half of it is worse than all of it.

    What the work itself raises comes first: whoever cancelled has to know what was not taken back.
    """
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
        except BaseException:  # noqa: BLE001 - the task's own, which is raised below
            break
    result = task.result()
    if cancelled is not None:
        raise cancelled
    return result
