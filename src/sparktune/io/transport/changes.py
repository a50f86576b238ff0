"""What a node is asked to change, and to say of its changes. Only root may; its agent asks sudo for that."""

__all__ = ["Changes"]

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from sparktune.io.transport.changes_wire import (
    Confirmed,
    GivenUp,
    Journal,
    Request,
    Reverted,
    decode_end,
    decode_step,
    decode_undone,
    encode_request_of,
)
from sparktune.io.transport.conversation import Conversation
from sparktune.io.transport.wire import NotTheAgent, decode_part
from sparktune.model.transaction import StepResult, TransactionOutcome, UndoneTransaction
from sparktune.units import Seconds

# A node tells of its steps when all are done, or undone; one may wait for a program for a minute (agent/protocol.py).
_SLOWEST_S: Seconds = 180.0
_STEP_S: Seconds = 10.0
_LONGEST_UNDO_S: Seconds = 600.0
_MOST_UNDONE = 10_000
_T = TypeVar("_T")


class Changes(Conversation):
    """The verbs that change a node. Beside NodeError they raise what the agent refuses.

    NodeBusy: another transaction works there. PlanVoid: the node is not as the plan saw it. NodeNeedsRoot.
    ChangeFailed: its journal cannot be written or read. After another error nobody knows how far the node has come.
    """

    async def transact(self, request: Request) -> TransactionOutcome:
        """Carry out a plan, all of it or nothing. Raises NotTheAgent for an answer that is none of its."""
        steps: list[StepResult] = []
        asked = len(request.plan.steps)
        number = self._ask("transact", **encode_request_of(request))
        self._changing = True
        while True:
            async with self._explained(_SLOWEST_S + asked * _STEP_S + request.wait_s):
                raw, last = await self._next(number)
                if last:
                    self._changing = False
                    return decode_end(raw, steps, asked)
                if len(steps) == asked:
                    message = f"it tells of more than {asked} steps"
                    raise NotTheAgent(message)
                steps.append(decode_step(raw, len(steps)))

    async def confirm(self, transaction: str) -> Confirmed:
        """Keep a transaction that would undo itself."""
        number = self._ask("confirm", transaction=transaction)
        async with self._explained(self._limit_s):
            return decode_part(await self._end_of(number), Confirmed)

    async def revert(
        self, transaction: str, who: str, *, wait_s: Seconds = 0.0
    ) -> tuple[Reverted, tuple[UndoneTransaction, ...]]:
        """Undo one transaction, or all that are applied for ""; return how it ended, the newest transaction first."""
        return await self._undone(
            self._ask("revert", transaction=transaction, who=who, wait_s=wait_s), wait_s, Reverted
        )

    async def give_up(
        self, transaction: str, items: Sequence[str], who: str
    ) -> tuple[GivenUp, tuple[UndoneTransaction, ...]]:
        """Let go of what cannot be undone of an incomplete transaction, if that is no more than these items."""
        return await self._undone(
            self._ask("give_up", transaction=transaction, items=list(items), who=who), 0.0, GivenUp
        )

    async def _undone(self, number: int, wait_s: Seconds, end: type[_T]) -> tuple[_T, tuple[UndoneTransaction, ...]]:
        """Take the transactions that were undone, and the end of a kind."""
        undone: list[UndoneTransaction] = []
        self._changing = True
        while True:
            async with self._explained(_LONGEST_UNDO_S + wait_s):
                raw, last = await self._next(number)
                if last:
                    self._changing = False
                    return decode_part(raw, end), tuple(undone)
                if len(undone) == _MOST_UNDONE:
                    message = f"it tells of more than {_MOST_UNDONE} transactions"
                    raise NotTheAgent(message)
                undone.append(decode_undone(raw))

    async def journal(self) -> Journal:
        """Ask for all transactions of the node, and who works on it now."""
        return await self._journal(self._ask("journal"))

    async def _journal(self, number: int) -> Journal:
        async with self._explained(self._limit_s):
            return decode_part(await self._end_of(number), Journal)

    async def _end_of(self, number: int) -> msgspec.Raw:
        raw, last = await self._next(number)
        if not last:
            message = "it sends parts of an answer that has none"
            raise NotTheAgent(message)
        return raw
