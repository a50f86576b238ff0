"""A watch that a test trips, and memory that it makes up."""

__all__ = ["FakeWatch", "memory", "trip"]

import asyncio
from collections.abc import AsyncIterator, Container, Mapping, Sequence
from contextlib import asynccontextmanager

from sparktune.errors import NodeUnreachable
from sparktune.experiment.protection import Protection
from sparktune.flows.ab.guard import Watching
from sparktune.model.guard import HostTick, LoadTick, Phase, Trip

GIB = 2**30


def trip(evidence: str = "2.9 GiB available, the floor is 3.0 GiB") -> Trip:
    """Return a trip of the memory floor."""
    return Trip(guard="memory-floor", node="spark1", evidence=evidence, hint="use less", monotonic_ns=5)


def memory(*gibibytes: float, node: str = "spark1") -> tuple[HostTick, ...]:
    """Return a tick for each, a second apart."""
    return tuple(
        HostTick(
            node=node,
            monotonic_ns=second * 10**9,
            wall_ns=(1_700_000_000 + second) * 10**9,
            available=round(size * GIB),
            free=round(size * GIB / 2),
        )
        for second, size in enumerate(gibibytes, start=1)
    )


class FakeWatch:
    """Watches nothing; in each phase that ``plan`` names, what it names happens, once: a Trip or a lost node."""

    def __init__(self, plan: Mapping[Phase, Sequence[Trip | NodeUnreachable]] | None = None) -> None:
        self.plan = {phase: list(events) for phase, events in (plan or {}).items()}
        self.nodes: Sequence[str] = ("spark1",)
        self.unwatched: Sequence[str] = ("swap on spark1: /proc/vmstat cannot be read",)
        self.phases: list[Phase] = []
        self.ticks: list[LoadTick] = []
        self.known: dict[str, Container[int]] = {}
        self.memory: tuple[HostTick, ...] = memory(20, 10, 15)
        self.tripped: asyncio.Future[Trip]

    def phase(self, phase: Phase) -> None:
        """Take notice, and do what is planned for it."""
        self.phases.append(phase)
        waiting = self.plan.get(phase)
        if waiting:
            event = waiting.pop(0)
            asyncio.get_running_loop().call_later(0.01, self._happen, event)

    def load(self, tick: LoadTick) -> None:
        """Keep it."""
        self.ticks.append(tick)

    def ours(self, node: str, pids: Container[int]) -> None:
        """Keep it."""
        self.known[node] = pids

    def curve(self, node: str) -> Sequence[HostTick]:
        """Return what the test says."""
        del node
        return self.memory

    def _happen(self, event: Trip | NodeUnreachable) -> None:
        if self.tripped.done():
            return
        if isinstance(event, Trip):
            self.tripped.set_result(event)
        else:
            self.tripped.set_exception(event)

    @asynccontextmanager
    async def open(self, protection: Protection) -> AsyncIterator[Watching]:
        """Watch a visit."""
        del protection
        self.tripped = asyncio.get_running_loop().create_future()
        yield self
        if self.tripped.done():
            self.tripped.exception()
