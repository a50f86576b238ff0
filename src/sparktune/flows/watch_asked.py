"""Ask what costs more than a look - drift, doctor - at a slow pace beside the watching, one question at a time."""

__all__ = ["Bell", "Questions", "ask_on"]

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from sparktune.errors import SparktuneError
from sparktune.flows.doctor import diagnose
from sparktune.flows.drift import DriftWish, drift_rows, observe_drift
from sparktune.io.cluster import NodeTarget
from sparktune.model.drift import DriftRow
from sparktune.model.finding import Finding
from sparktune.model.node import NodeFacts
from sparktune.report.watch import Answered
from sparktune.units import Seconds

_T = TypeVar("_T")
_FRESH_S: Final[Seconds] = 60.0
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


async def ask_on(
    ask: Callable[[], Awaitable[_Answer[_T]]],
    show: Callable[[Answered[_T]], None],
    clock: Callable[[], Seconds],
    *,
    every_s: Seconds,
    bell: Bell,
    turn: asyncio.Lock,
) -> None:
    """Ask now and every ``every_s`` seconds (0: when the bell rings), until cancelled; ``turn`` keeps questions apart.

    What went wrong is shown, and the answer before it is kept with the time at which it was given.
    """
    answered: Answered[_T] = Answered(every_s=every_s)
    while True:
        async with turn:
            show(answered := replace(answered, asking=True))
            begin_s = clock()
            try:
                items, why = await ask()
            except SparktuneError as error:
                answered = replace(answered, asking=False, why=str(error))
            else:
                answered = Answered(every_s=every_s, items=items, at_s=clock(), took_s=clock() - begin_s, why=why)
        show(answered)
        await bell.wait(every_s or None)


class Questions:
    """What is asked of the nodes. Facts that doctor read just now are not read again for drift."""

    def __init__(self, targets: Sequence[NodeTarget], wish: DriftWish | None, clock: Callable[[], Seconds]) -> None:
        """``wish`` None: drift is never asked."""
        self._targets, self._wish, self._clock = targets, wish, clock
        self._facts: tuple[Seconds, tuple[NodeFacts, ...]] | None = None

    async def doctor(self) -> _Answer[Finding]:
        """Return findings, and which nodes did not answer."""
        at_s = self._clock()
        diagnosis = await diagnose(self._targets)
        self._facts = (at_s, diagnosis.cluster.nodes)
        silent = [node.node for node in diagnosis.cluster.nodes if node.failure]
        return diagnosis.findings, f"no answer from {', '.join(silent)}" if silent else ""

    async def drift(self) -> _Answer[DriftRow]:
        """Return the rows of drift; none without a wish."""
        if self._wish is None:
            return (), ""
        view = await observe_drift(self._wish, self._fresh(self._wish))
        return await asyncio.to_thread(drift_rows, view), ""

    def _fresh(self, wish: DriftWish) -> tuple[NodeFacts, ...] | None:
        """Return facts of exactly the nodes that drift is about, when they are new enough."""
        if self._facts is None or self._targets != wish.nodes:
            return None
        at_s, facts = self._facts
        return facts if self._clock() - at_s <= _FRESH_S else None
