"""The guards of one visit: what is done under them is ended when a limit is crossed, or when a node is lost."""

__all__ = ["LOST", "Guarded", "NoWatch", "Tripped", "WatchOpener", "Watching", "no_watch"]

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol, TypeVar

from sparktune.errors import (
    EndpointError,
    GuardStopped,
    NodeProtocolError,
    NodeTimeout,
    NodeUnreachable,
    SparktuneError,
)
from sparktune.experiment.protection import Protection
from sparktune.io.cluster import LOCAL
from sparktune.model.guard import HostTick, LoadTick, Phase, Trip
from sparktune.units import Seconds, format_seconds

_T = TypeVar("_T")

LOST = (NodeUnreachable, NodeTimeout, NodeProtocolError)
"""Errors that mean that a node, or the way to it, is gone: not those of a node that answers and refuses."""

_ENDED = {
    Phase.STARTING: "the start was given up",
    Phase.IDLE: "the visit was given up",
    Phase.TAIL: "the visit was given up",
}
_LOOK_S: Seconds = 0.5
_LOSS_SHOWS_S: Seconds = 20.0  # ssh gives a dead link up after 15 seconds


class Watching(Protocol):
    """What watches nodes and load; ``tripped`` comes to a Trip, or to a NodeError of LOST when a node is lost."""

    @property
    def nodes(self) -> Sequence[str]:
        """The nodes that are watched."""

    @property
    def unwatched(self) -> Sequence[str]:
        """Which guards cannot watch here, and why."""

    @property
    def tripped(self) -> asyncio.Future[Trip]:
        """Done when a limit was crossed; it stays so."""

    def phase(self, phase: Phase) -> None:
        """Say what is done from now on."""

    def load(self, tick: LoadTick) -> None:
        """Take the state of the load."""

    def ours(self, node: str, pids: Container[int]) -> None:
        """Take which processes on a node are those of the arm; of a node that is not watched nothing is kept."""

    def curve(self, node: str) -> Sequence[HostTick]:
        """Return what a node has told of its memory since watching began, oldest first."""


WatchOpener = Callable[[Protection], AbstractAsyncContextManager[Watching]]


class NoWatch:
    """Watches nothing, and never trips."""

    def __init__(self) -> None:
        """Need a running loop."""
        self.nodes: Sequence[str] = ()
        self.unwatched: Sequence[str] = ()
        self.tripped: asyncio.Future[Trip] = asyncio.get_running_loop().create_future()

    def phase(self, phase: Phase) -> None:
        """Drop it."""

    def load(self, tick: LoadTick) -> None:
        """Drop it."""

    def ours(self, node: str, pids: Container[int]) -> None:
        """Drop it."""

    def curve(self, node: str) -> Sequence[HostTick]:
        """Know nothing."""
        del node
        return ()


@asynccontextmanager
async def no_watch(protection: Protection) -> AsyncIterator[Watching]:
    """Watch nothing."""
    del protection
    yield NoWatch()


class Tripped(GuardStopped):
    """A limit was crossed, and what was being done has been ended; ``trip`` is the evidence."""

    def __init__(self, trip: Trip, *, during: Phase, ended: str = "") -> None:
        """Say what, where and when; ``ended`` is what was done about it."""
        where = f" on {trip.node}" if trip.node else ""
        done = f"; {ended}" if ended else ""
        super().__init__(f"{trip.guard}{where} ({during.value}): {trip.evidence}{done}", hint=trip.hint)
        self.trip = trip


class Guarded:
    """Runs one thing after the other under a watch.

    ``kill`` ends the engine at once, None when nobody wants that; ``ended`` says how it ended by itself, "" while it
    runs.
    """

    def __init__(
        self,
        watch: Watching,
        kill: Callable[[], Awaitable[None]] | None = None,
        ended: Callable[[], str] = lambda: "",
    ) -> None:
        """Begin with nothing being done."""
        self._watch = watch
        self._kill = kill
        self._ended = ended
        self._phase = Phase.IDLE

    def phase(self, phase: Phase) -> None:
        """Say what is done from now on."""
        self._phase = phase
        self._watch.phase(phase)

    async def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Return what ``work`` comes to.

        Raises Tripped when a limit is crossed meanwhile, the NodeError when a node is lost, and what the work raises;
        the work has been cancelled and has ended then.
        """
        task = asyncio.create_task(work)
        alarm = self._watch.tripped
        try:
            either: set[asyncio.Future[Any]] = {task, alarm}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if isinstance(_error_of(task), EndpointError):
                await self._loss_shown(alarm)
            if not alarm.done():
                return task.result()
        except asyncio.CancelledError:
            task.cancel()
            return await task
        raise await self._stopped(task, alarm)

    async def _loss_shown(self, alarm: asyncio.Future[Trip]) -> None:
        """Wait a while for the loss of a node, whose server is missed before it is, unless that ended by itself."""
        until_s = time.monotonic() + _LOSS_SHOWS_S
        far = any(node != LOCAL for node in self._watch.nodes)
        while far and not alarm.done() and not self._ended() and time.monotonic() < until_s:
            await asyncio.wait({alarm}, timeout=_LOOK_S)

    async def _stopped(self, task: asyncio.Task[_T], alarm: asyncio.Future[Trip]) -> SparktuneError:
        """End the task, and the engine when that is wanted; return what is to be raised."""
        began_s = time.monotonic()
        lost = alarm.exception()
        if lost is not None or self._kill is None:
            task.cancel()
            killed = ""
        elif self._phase is Phase.STARTING:
            killed = await _killed(self._kill)  # the arm's own end would wait for it in good order
            task.cancel()
        else:
            task.cancel()  # takes back its own load, while the engine is ended
            killed = await _killed(self._kill)
        await asyncio.wait({task})
        _error_of(task)  # how it ended does not matter: what it left, the release of the arm finds
        if isinstance(lost, SparktuneError):
            return lost
        if lost is not None:
            raise lost
        took = f"{_ENDED.get(self._phase, 'the load ended')} {format_seconds(time.monotonic() - began_s)} later"
        return Tripped(alarm.result(), during=self._phase, ended=f"{took}{killed}")


def _error_of(task: asyncio.Task[Any]) -> BaseException | None:
    return task.exception() if task.done() and not task.cancelled() else None


async def _killed(kill: Callable[[], Awaitable[None]]) -> str:
    began_s = time.monotonic()
    try:
        await kill()
    except SparktuneError as error:
        return f"; the engine could not be stopped: {error}"
    return f"; the engine was stopped within {format_seconds(time.monotonic() - began_s)}"
