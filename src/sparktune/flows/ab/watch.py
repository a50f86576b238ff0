"""The watch of one visit: the guards of ``flows.guarding``, with the memory of the whole visit kept."""

__all__ = ["guards_on"]

import asyncio
from collections.abc import AsyncIterator, Callable, Container, Sequence
from contextlib import asynccontextmanager, suppress

from sparktune.experiment.protection import Protection
from sparktune.flows.ab.guard import NoWatch, Watching, WatchOpener
from sparktune.flows.guarding import Watch
from sparktune.io.cluster import NodeTarget
from sparktune.model.guard import HostTick, LoadTick, Phase, Trip
from sparktune.units import Seconds

_GATHER_S: Seconds = 5.0  # far less than what the guards themselves remember


def guards_on(targets: Sequence[NodeTarget], say: Callable[[str], None]) -> WatchOpener:
    """Return what opens the guards of a visit on these nodes; what a person should know is said."""

    @asynccontextmanager
    async def opened(protection: Protection) -> AsyncIterator[Watching]:
        if not protection.on:
            yield NoWatch()
            return
        async with Watch(targets, protection.limits, phase=Phase.STARTING, say=say, stop_when_lost=True) as watch:
            visit = _VisitWatch(watch)
            gathering = asyncio.create_task(visit.gather())
            try:
                yield visit
            finally:
                gathering.cancel()
                with suppress(asyncio.CancelledError):
                    await gathering

    return opened


class _VisitWatch:
    """See ``Watching``."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._ticks: dict[str, list[HostTick]] = {node: [] for node in watch.nodes}

    @property
    def tripped(self) -> asyncio.Future[Trip]:
        """Done when a limit was crossed, or a node lost."""
        return self._watch.tripped

    @property
    def nodes(self) -> Sequence[str]:
        """The nodes that are watched."""
        return self._watch.nodes

    @property
    def unwatched(self) -> Sequence[str]:
        """Which guards cannot watch here, and why."""
        return self._watch.unwatched

    def phase(self, phase: Phase) -> None:
        """Say what is done from now on."""
        self._watch.phase(phase)

    def load(self, tick: LoadTick) -> None:
        """Take the state of the load."""
        self._watch.load(tick)

    def ours(self, node: str, pids: Container[int]) -> None:
        """Take which processes on a node are those of the arm."""
        if node in self._watch.nodes:
            self._watch.ours(node, pids)

    def curve(self, node: str) -> Sequence[HostTick]:
        """Return what a node has told of its memory since watching began, oldest first."""
        kept = self._ticks[node]
        last_ns = kept[-1].wall_ns if kept else -1
        # Of a long visit only the memory: what else a tick holds would be kept thousands of times.
        kept += [
            HostTick(
                node=tick.node,
                monotonic_ns=tick.monotonic_ns,
                wall_ns=tick.wall_ns,
                available=tick.available,
                free=tick.free,
            )
            for tick in self._watch.curve(node)
            if tick.wall_ns > last_ns
        ]
        return tuple(kept)

    async def gather(self) -> None:
        """Take over what is new, until cancelled."""
        while True:
            for node in self._watch.nodes:
                self.curve(node)
            await asyncio.sleep(_GATHER_S)
