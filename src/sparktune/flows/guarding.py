"""Watch nodes and a load by the guards: the first limit that is crossed is told at once, whatever node it is on."""

__all__ = ["Watch"]

import asyncio
from collections.abc import Callable, Container, Mapping, Sequence
from types import TracebackType
from typing import Final, Self

from sparktune.errors import NodeError
from sparktune.experiment.guarding import LOAD_NODE, first_trip, is_of_load, kept, load_view, off_guards, unseen
from sparktune.experiment.guards import all_guards
from sparktune.host.guard_ticks import GUARD_READS, host_tick, why_missing
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.session import NodeSession
from sparktune.model.guard import Guard, GuardView, HostTick, Limits, LoadTick, Phase, Trip
from sparktune.model.reads import Read, Readings
from sparktune.model.sample import Sample
from sparktune.units import Ratio, Seconds

_INTERVAL_S: Final[Seconds] = 0.5
_SILENT_S: Final[Seconds] = 10.0  # a node that says nothing for so long does not answer
_AGAIN_S: Final[Seconds] = 5.0
_UNSAID: Final = "nobody tells it"


class Watch:
    """``async with Watch(targets, limits) as watch``: every node is sampled twice a second until it is left.

    One is opened for each arm: counters count from its first tick. Entering waits until every node has told that, or
    has not answered. ``say`` gets what a person should know besides: that a node does not answer, and that it does
    again; with ``stop_when_lost`` the former ends the watch. ``baseline`` is the other arm's share of failed requests.
    ``reads`` are read once, before the first tick.
    """

    def __init__(
        self,
        targets: Sequence[NodeTarget],
        limits: Limits,
        *,
        phase: Phase = Phase.IDLE,
        say: Callable[[str], None] = lambda _text: None,
        stop_when_lost: bool = False,
        baseline: Ratio | None = None,
        reads: Sequence[Read] = (),
    ) -> None:
        """Prepare; nothing is asked yet. Raises UsageError for a host name that is an option."""
        self._limits, self._phase, self._baseline = limits, phase, baseline
        self._say, self._stop_when_lost, self._reads = say, stop_when_lost, tuple(reads)
        self._host_guards = tuple(guard for guard in all_guards() if not is_of_load(guard))
        self._load_guards = tuple(guard for guard in all_guards() if is_of_load(guard))
        self._nodes = {target.name: _Node(target) for target in targets}
        for target in targets:
            NodeSession(target)
        self._load: tuple[LoadTick, ...] = ()
        self._tripped: asyncio.Future[Trip] = asyncio.get_running_loop().create_future()
        self._tasks: tuple[asyncio.Task[None], ...] = ()

    async def __aenter__(self) -> Self:
        """Begin to watch."""
        self._tasks = tuple(asyncio.create_task(self._watch(node)) for node in self._nodes.values())
        try:
            for node in self._nodes.values():
                await node.heard.wait()
        except BaseException:
            await self._let_go()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the nodes."""
        await self._let_go()
        if not self._tripped.cancel():
            self._tripped.exception()  # it was looked at, whoever did

    @property
    def tripped(self) -> asyncio.Future[Trip]:
        """Comes to the first trip, or to a NodeError when a node is lost and that ends the watch; it stays so."""
        return self._tripped

    def phase(self, phase: Phase) -> None:
        """Say what is being done from now on."""
        self._phase = phase

    def load(self, tick: LoadTick) -> None:
        """Tell of the load; its guards judge it now."""
        self._load = kept(self._load, tick)
        self._judge(self._load_guards, load_view(self._load, self._phase, self._baseline))

    def readings(self, node: str) -> Readings | None:
        """Return what was read before the first tick; None where the node has never answered."""
        return self._nodes[node].readings

    def ours(self, node: str, pids: Container[int] | None) -> None:
        """Say which processes on a node belong to what is measured; None: not known."""
        self._nodes[node].ours = pids

    def curve(self, node: str) -> tuple[HostTick, ...]:
        """Return the last two minutes of a node, oldest first."""
        return self._nodes[node].ticks

    @property
    def nodes(self) -> tuple[str, ...]:
        """The names of the nodes."""
        return tuple(self._nodes)

    @property
    def lost(self) -> Mapping[str, str]:
        """The nodes that do not answer now, and why."""
        return {name: node.lost for name, node in self._nodes.items() if node.lost}

    @property
    def off(self) -> tuple[str, ...]:
        """The guards that are switched off by their limit."""
        return off_guards((*self._host_guards, *self._load_guards), self._limits)

    @property
    def blind(self) -> Mapping[str, Mapping[str, str]]:
        """Why guards cannot watch, by node ("" for the load) and guard; those that are off are not among them."""
        found = {name: self._blind(node) for name, node in self._nodes.items()}
        found[LOAD_NODE] = {
            guard.id: _UNSAID
            for guard in self._load_guards
            if guard.id not in self.off and all(unseen(guard, tick) for tick in self._load)
        }
        return {name: guards for name, guards in found.items() if guards}

    @property
    def unwatched(self) -> tuple[str, ...]:
        """Which guards cannot watch, and why, a line for each reason."""
        lines: dict[tuple[str, str], list[str]] = {}
        for node, guards in self.blind.items():
            for guard, why in guards.items():
                lines.setdefault((node or "the load", why), []).append(guard)
        return tuple(f"{node}: not watched by {', '.join(guards)}: {why}" for (node, why), guards in lines.items())

    def _blind(self, node: "_Node") -> dict[str, str]:
        if node.sample is None:
            return {guard.id: node.lost for guard in self._host_guards if guard.id not in self.off}
        tick, whys = node.ticks[-1], {}
        for guard in self._host_guards:
            missing = () if guard.id in self.off else unseen(guard, tick)
            if missing:
                whys[guard.id] = why_missing(node.sample, missing[0])
        return whys

    async def _watch(self, node: "_Node") -> None:
        try:
            while True:
                await self._follow(node)
                await asyncio.sleep(_AGAIN_S)
        except Exception as error:  # noqa: BLE001 - a fault of ours: nobody may believe that this node is guarded
            node.lost = repr(error)
            if not self._tripped.done():
                self._tripped.set_exception(error)
        finally:
            node.heard.set()

    async def _follow(self, node: "_Node") -> None:
        try:
            async with NodeSession(node.target) as session:
                if self._reads and node.readings is None:
                    node.readings = await session.observe(self._reads)
                async for sample in session.sample(GUARD_READS, interval_s=_INTERVAL_S, silent_s=_SILENT_S):
                    self._take(node, sample)
        except NodeError as error:
            self._lose(node, error)

    def _take(self, node: "_Node", sample: Sample) -> None:
        if node.lost:
            self._say(f"{node.target.name} answers again")
        tick = host_tick(node.target.name, sample, node.ours)
        node.ticks, node.sample, node.lost = kept(node.ticks, tick), sample, ""
        if node.first is None or node.first.monotonic_ns > tick.monotonic_ns:
            node.first = tick
            if tick.driver_lines:
                self._say(f"{tick.node}: {_driver_before(tick)}")
        node.heard.set()
        self._judge(
            self._host_guards,
            GuardView(node=tick.node, phase=self._phase, first=node.first, ticks=node.ticks),
        )

    def _lose(self, node: "_Node", error: NodeError) -> None:
        if not node.lost:
            why = str(error).removeprefix(f"{node.target.name}: ")
            self._say(f"{node.target.name} is not watched now: {why}")
        node.lost = str(error)
        node.heard.set()
        if self._stop_when_lost and not self._tripped.done():
            self._tripped.set_exception(error)

    async def _let_go(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _judge(self, guards: Sequence[Guard], view: GuardView) -> None:
        if not self._tripped.done() and (trip := first_trip(guards, view, self._limits)) is not None:
            self._tripped.set_result(trip)


class _Node:
    """What is known of one node. ``lost`` is why it does not answer now, "" while it does."""

    def __init__(self, target: NodeTarget) -> None:
        self.target = target
        self.ticks: tuple[HostTick, ...] = ()
        self.first: HostTick | None = None
        self.sample: Sample | None = None
        self.readings: Readings | None = None
        self.ours: Container[int] | None = None
        self.lost = ""
        self.heard = asyncio.Event()


def _driver_before(tick: HostTick) -> str:
    count = tick.driver_lines
    lines = "a line of the GPU's driver says" if count == 1 else f"{count} lines of the GPU's driver say"
    return (
        f"{lines} NV_ERR_NO_MEMORY (0x51) in the kernel's log already: the host may be at risk before this begins; "
        f"see sparktune doctor; the last: {tick.driver_line}"
    )
