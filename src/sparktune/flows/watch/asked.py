"""Ask what costs more than a look - drift, doctor - at a slow pace beside the watching, one question at a time."""

__all__ = ["Bell", "Question", "Questions", "ask_on"]

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from sparktune.errors import SparktuneError
from sparktune.flows.doctor import diagnose
from sparktune.flows.drift import DriftWish, drift_rows, observe_drift
from sparktune.flows.look import Look
from sparktune.io.cluster import NodeTarget
from sparktune.model.drift import DriftRow
from sparktune.model.finding import Finding
from sparktune.report.watch import Answered
from sparktune.units import Seconds

_T = TypeVar("_T")
_Answer = tuple[tuple[_T, ...], str]


class Bell:
    """Rung by a person who does not want to wait for the next time."""

    def __init__(self) -> None:
        """Nobody rang yet."""
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Let everybody who waits ask now."""
        self._rung.set()
        self._rung = asyncio.Event()

    async def wait(self, seconds: Seconds | None) -> None:
        """Wait for the bell, for at most so many seconds; None waits for the bell alone."""
        try:
            await asyncio.wait_for(self._rung.wait(), seconds)
        except TimeoutError:
            return


class Question(Generic[_T]):
    """One question, and the answer that it had last."""

    def __init__(self, ask: Callable[[Look], Awaitable[_Answer[_T]]], show: Callable[[Answered[_T]], None]) -> None:
        """``show`` is told when it is asked, and what came of it."""
        self._ask, self._show = ask, show
        self._answered: Answered[_T] | None = None

    async def put(self, look: Look, clock: Callable[[], Seconds], every_s: Seconds) -> None:
        """Ask. What went wrong is shown, and the answer before it is kept with the time at which it was given."""
        before: Answered[_T] = self._answered or Answered(every_s=every_s)
        self._show(replace(before, asking=True))
        begin_s = clock()
        try:
            items, why = await self._ask(look)
        except SparktuneError as error:
            self._answered = replace(before, why=str(error))
        else:
            self._answered = Answered(every_s=every_s, items=items, at_s=clock(), took_s=clock() - begin_s, why=why)
        self._show(self._answered)


async def ask_on(
    questions: Sequence[Question[Any]], clock: Callable[[], Seconds], *, every_s: Seconds, bell: Bell
) -> None:
    """Ask all in their order now, and again every ``every_s`` seconds (0: when the bell rings), until cancelled.

    One follows the other in one look: nodes are asked over one agent, and nothing is read of them twice.
    """
    while True:
        async with Look() as look:
            for question in questions:
                await question.put(look, clock, every_s)
        await bell.wait(every_s or None)


class Questions:
    """What is asked of the nodes."""

    def __init__(self, targets: Sequence[NodeTarget], wish: DriftWish | None) -> None:
        """``wish`` None: there are no rows of drift."""
        self._targets, self._wish = targets, wish

    async def doctor(self, look: Look) -> _Answer[Finding]:
        """Return findings, and which nodes did not answer."""
        diagnosis = await diagnose(self._targets, look)
        silent = [node.node for node in diagnosis.cluster.nodes if node.failure]
        return diagnosis.findings, f"no answer from {', '.join(silent)}" if silent else ""

    async def drift(self, look: Look) -> _Answer[DriftRow]:
        """Return the rows of drift; none without a wish."""
        if self._wish is None:
            return (), ""
        view = await observe_drift(self._wish, look)
        return await asyncio.to_thread(drift_rows, view), ""
