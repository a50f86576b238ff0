"""Hand each action of a plan to what carries it out."""

__all__ = ["Ask", "Performer"]

from collections.abc import Awaitable, Callable, Sequence
from typing import assert_never

from sparktune.errors import (
    NodeError,
    NodeProtocolError,
    NodeTimeout,
    NodeUnreachable,
    SparktuneError,
    UsageError,
)
from sparktune.io.launching.answer import await_answer
from sparktune.io.launching.nodes import apply_steps, undo_entry
from sparktune.io.launching.originals import keep_originals
from sparktune.io.launching.programs import Programs
from sparktune.io.launching.record import Record
from sparktune.io.launching.service_health import ServiceHealth
from sparktune.io.launching.services import Services
from sparktune.io.launching.settings import HoldSettings
from sparktune.io.launching.unbroken import unbroken
from sparktune.io.launching.words import Words
from sparktune.model.arm_action import (
    Action,
    Apply,
    AskPerson,
    AwaitAnswer,
    AwaitMemory,
    EndService,
    KeepLog,
    KillService,
    Reboot,
    RunCommand,
    RunOnNode,
    ServiceProcess,
    StartProcess,
    Undo,
)

Ask = Callable[[str], Awaitable[None]]
"""Show a text to whoever sits at the terminal, and return when they say that it is done."""


class Performer:
    """``notes`` gets what has to be said of what was done, ``ended`` tells how a started server has ended."""

    def __init__(
        self, settings: HoldSettings, words: Words, record: Record, programs: Programs, *, ask: Ask | None = None
    ) -> None:
        """Touch nothing."""
        self._settings, self._ask, self._words, self._record = settings, ask, words, record
        self._programs = programs
        self.notes: list[str] = []
        self.health = ServiceHealth(settings, words)
        self.services = Services(settings, words, record, self.notes)

    async def perform(self, action: Action, parts: Sequence[ServiceProcess]) -> None:
        """Carry out one action; ``parts`` are those of the service that is held. Raises as ``Hold.set_arm``."""
        arm = self._record.arm
        match action:
            case StartProcess():
                await self._programs.start_server(action, arm)
            case RunCommand():
                await self._programs.run_switch(action, arm)
            case AwaitAnswer():
                await self._await_answer(action, parts)
            case AskPerson():
                await self._ask_person(action.text)
            case Apply():
                await unbroken(self._apply(action))
            case Undo():
                await unbroken(self.undo_all(action.node))
            case RunOnNode() | KeepLog() | AwaitMemory() | EndService() | KillService() | Reboot():
                await self._serve(action)
            case _:
                assert_never(action)

    async def undo_all(self, node: str) -> None:
        """Undo what stands on a node, or everywhere for "": the newest first.

        One that cannot be undone does not keep the others as they are; the first error is raised after them.
        """
        first: SparktuneError | None = None
        for entry in self._record.standing:
            if node not in {"", entry.node}:
                continue
            try:
                self.notes += await undo_entry(entry, self._settings.who, self._record.put_node)
            except SparktuneError as error:
                first = first or error
        if first is not None:
            raise first

    async def leave(self, actions: Sequence[Action], parts: Sequence[ServiceProcess]) -> None:
        """Carry out what ends an arm. Nothing more is asked of a node that is lost, and its error raised after all."""
        lost: dict[str, NodeError] = {}
        for action in actions:
            node = _node_of(action)
            if node in lost:
                continue
            try:
                await self.perform(action, parts)
            except (NodeUnreachable, NodeTimeout, NodeProtocolError) as error:
                lost[node] = error
        for first in lost.values():
            raise first

    def ended(self) -> str:
        """Return how the started server has ended, "" while it runs, or none was."""
        server = self._programs.server
        return "" if server is None else self._words.hide(server.ended)

    async def _serve(self, action: RunOnNode | KeepLog | AwaitMemory | EndService | KillService | Reboot) -> None:
        match action:
            case RunOnNode():
                await self.services.run(action)
            case KeepLog():
                await self.services.keep_log(action)
            case AwaitMemory():
                await self.services.await_memory(action)
            case EndService():
                await self._end(action)
            case KillService():
                await self.services.kill((action.service,))
            case Reboot():
                await self.services.reboot(action)

    async def _end(self, action: EndService) -> None:
        if action.command is not None and await self.services.runs(action.service):
            await self._programs.run_switch(action.command, self._record.arm)
        await self.services.end(action)

    async def _await_answer(self, action: AwaitAnswer, parts: Sequence[ServiceProcess]) -> None:
        async with self.health.watched(parts) as service_ended:

            def ended() -> str:
                return self.ended() or service_ended()

            base_url, key = self._settings.base_url, self._settings.api_key
            await await_answer(base_url, key, action.limit_s, ended, self._programs.living)

    async def _ask_person(self, text: str) -> None:
        if self._ask is None:
            message = f"somebody has to do this, and there is no terminal to ask at: {text}"
            raise UsageError(message, hint="run it in a terminal, or give each arm a switch: command")
        await self._ask(text)

    async def _apply(self, action: Apply) -> None:
        target = self._settings.target(action.node)
        await keep_originals(self._record, action.node, target, action.steps)
        await apply_steps(action.node, target, action.steps, self._settings.who, self._record.put_node)


def _node_of(action: Action) -> str:
    """Return the node that an action is about, "" for this machine."""
    match action:
        case AwaitMemory() | EndService() | KillService():
            return action.service.node
        case Apply() | Undo() | RunOnNode() | KeepLog() | Reboot():
            return action.node
        case _:
            return ""
