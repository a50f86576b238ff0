"""``export``: ask every part once, each on its own, for what a Prometheus is to be told. Nothing is changed.

A part that fails has no values in this round, and its reason: the others are told all the same.
"""

__all__ = ["ExportWish", "export_exit", "look_once", "nothing_yet", "serve_looks"]

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeVar

from sparktune import __version__
from sparktune.drift.stale import Judged, image_of, judged
from sparktune.errors import ExitCode, SparktuneError
from sparktune.flows.doctor import facts_all
from sparktune.flows.drift import DriftWish, drift_rows, observe_drift
from sparktune.flows.earned import running_of
from sparktune.flows.look import Look
from sparktune.flows.one_host import second_names
from sparktune.flows.place.scan import scan_all
from sparktune.flows.place.status import places_of
from sparktune.host.findings import judge
from sparktune.io.cluster import NodeTarget
from sparktune.io.config import Config
from sparktune.io.earned import read_earned
from sparktune.io.metrics_server import MetricsServer
from sparktune.io.signals import stop_on_signals
from sparktune.io.store.location import database_path
from sparktune.io.store.store import Store
from sparktune.io.time_limit import time_limit
from sparktune.io.together import together
from sparktune.model.drift import DriftView
from sparktune.model.earned import EarnedEntry
from sparktune.model.experiment_row import ExperimentRow
from sparktune.model.node import ClusterFacts
from sparktune.model.pin import RuleRow
from sparktune.model.place import Poller
from sparktune.report.prometheus.seen import PartAsked, Seen, Unknown
from sparktune.report.prometheus.text import export_text
from sparktune.units import Seconds

_T = TypeVar("_T")

_LONGEST_S: Final[Seconds] = 180.0
_WINDOWS: Final = 5
_WINDOW_S: Final[Seconds] = 2.0
_EXPERIMENTS: Final = 10
_NOT_WISHED: Final = "nobody asks for it: a scan takes ten seconds or more; add --place"
_NO_SERVICE: Final = "no service is named: sparktune.yaml has none here, or there is none"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportWish:
    """What is to be asked: ``targets`` are all nodes, those of ``services`` too.

    ``earned`` is read anew each time. ``place``: threads are scanned, too, beside the requests of ``endpoint``.
    """

    targets: tuple[NodeTarget, ...]
    services: tuple[DriftWish, ...] = ()
    earned: Path = field(default_factory=lambda: Path("earned.yaml"))
    config: Config | None = None
    place: bool = False
    endpoint: str = ""


def nothing_yet() -> Seen:
    """Return what is known before anybody was asked."""
    return Seen(version=__version__, missing=(Unknown(what="everything", why="the first round has not ended"),))


def export_exit(seen: Seen) -> ExitCode:
    """FAILED when a node did not answer or a part came to nothing, else DONE: differences are in the values."""
    nodes = seen.cluster.nodes if seen.cluster is not None else ()
    failed = any(part.failure for part in seen.parts) or any(node.failure for node in nodes)
    return ExitCode.FAILED if failed else ExitCode.DONE


async def look_once(wish: ExportWish) -> Seen:
    """Ask every part once: the nodes first, then the rest at once, as it needs the nodes' facts.

    Each node is asked over one agent; threads are watched over one of their own, so that no look falls late.
    """
    async with Look() as look:
        return await _Round(wish, look).ask()


async def serve_looks(
    wish: ExportWish, server: MetricsServer, every_s: Seconds, *, say: Callable[[str], None] = lambda _: None
) -> None:
    """Look every so many seconds, counted from start to start, until SIGINT or SIGTERM; a scrape waits for no node."""
    stop, told = asyncio.Event(), frozenset[str]()
    with stop_on_signals(stop.set):
        ended = asyncio.create_task(stop.wait())
        while not ended.done():
            began_s = time.monotonic()
            looking = asyncio.create_task(look_once(wish))
            await asyncio.wait({looking, ended}, return_when=asyncio.FIRST_COMPLETED)
            if not looking.done():
                looking.cancel()
                await asyncio.wait({looking})
                break
            seen = looking.result()
            server.text = export_text(seen)
            news = frozenset((*(f"{part.id}: {part.failure}" for part in seen.parts if part.failure), *seen.notes))
            for one in sorted(news - told):
                say(one)
            told = news
            await asyncio.wait({ended}, timeout=max(0.0, every_s - (time.monotonic() - began_s)))


class _Round:
    """What was asked so far in a look, and what was missing."""

    def __init__(self, wish: ExportWish, look: Look) -> None:
        self._wish, self._look = wish, look
        self._parts: list[PartAsked] = []
        self._missing: list[Unknown] = []

    async def ask(self) -> Seen:
        wish = self._wish
        cluster = await self._part("nodes", self._cluster())
        entries = await self._part("earned", asyncio.to_thread(read_earned, wish.earned))
        experiments = await self._part("experiments", asyncio.to_thread(_experiments))
        views, pins, pollers = await together(
            self._drift(entries or ()),
            self._part("pins", self._pins(cluster)),
            self._part("pollers", self._pollers()) if wish.place else _none(),
        )
        if not wish.place:
            self._missing.append(Unknown(what="pollers", why=_NOT_WISHED))
        if not wish.services:
            self._missing.append(Unknown(what="drift", why=_NO_SERVICE))
        # In a thread: a scrape does not wait for judging either.
        return await asyncio.to_thread(self._seen, cluster, entries, experiments, views, pins, pollers)

    def _seen(
        self,
        cluster: ClusterFacts | None,
        entries: Sequence[EarnedEntry] | None,
        experiments: tuple[ExperimentRow, ...] | None,
        views: Mapping[str, DriftView],
        pins: Mapping[str, tuple[RuleRow, ...]] | None,
        pollers: Mapping[str, tuple[Poller, ...]] | None,
    ) -> Seen:
        return Seen(
            version=__version__,
            cluster=cluster,
            findings=judge(cluster) if cluster is not None else None,
            drift={name: drift_rows(view) for name, view in views.items()} if self._wish.services else None,
            pins=pins,
            pollers=pollers,
            earned=self._judged(entries, views) if entries is not None else None,
            experiments=experiments,
            parts=tuple(self._parts),
            missing=tuple(self._missing),
            notes=second_names(self._wish.targets, self._look.met),
        )

    async def _part(self, name: str, asking: Awaitable[_T]) -> _T | None:
        """Wait for one part; what stops it is kept, and stops no other."""
        began_s, failure, found = time.monotonic(), "", None
        try:
            async with time_limit(_LONGEST_S):
                found = await asking
        except TimeoutError:
            failure = f"it did not end within {_LONGEST_S:.0f} s"
        except (SparktuneError, OSError) as error:
            failure = str(error)
        took_s = time.monotonic() - began_s
        self._parts.append(PartAsked(id=name, ended_wall_s=time.time(), took_s=took_s, failure=failure))
        return found

    async def _cluster(self) -> ClusterFacts:
        return ClusterFacts(nodes=await facts_all(self._wish.targets, self._look))

    async def _drift(self, entries: Sequence[EarnedEntry]) -> Mapping[str, DriftView]:
        earned = tuple(entry.content for entry in entries)
        file = str(self._wish.earned) if entries else ""
        wishes = [replace(one, earned=earned, earned_file=file) for one in self._wish.services]

        async def ask(wish: DriftWish) -> DriftView | None:
            return await self._part(f"drift {wish.place.name}".strip(), observe_drift(wish, self._look))

        views = await together(*map(ask, wishes))
        return {wish.place.name: view for wish, view in zip(wishes, views, strict=True) if view is not None}

    async def _pins(self, cluster: ClusterFacts | None) -> Mapping[str, tuple[RuleRow, ...]]:
        """Return what is pinned on the nodes that answered; that others did not is said already."""
        up = {node.node for node in cluster.answered} if cluster is not None else set()
        found = await places_of([one for one in self._wish.targets if one.name in up], self._look)
        for node in found.nodes:
            if node.failure:
                self._missing.append(Unknown(what="pins", node=node.node, why=node.failure))
        return {node.node: node.rows for node in found.nodes if not node.failure}

    async def _pollers(self) -> Mapping[str, tuple[Poller, ...]]:
        wish = self._wish
        found = await scan_all(wish.targets, windows=_WINDOWS, window_s=_WINDOW_S, endpoint=wish.endpoint)
        for node in found.nodes:
            if node.failure:
                self._missing.append(Unknown(what="pollers", node=node.node, why=node.failure))
        return {node.node: node.pollers for node in found.nodes if not node.failure}

    def _judged(self, entries: Sequence[EarnedEntry], views: Mapping[str, DriftView]) -> tuple[Judged, ...]:
        today = datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%d")

        def one(entry: EarnedEntry) -> Judged:
            view = views.get(entry.scope.service or "")
            image = image_of(view.parts) if view is not None else None
            running = running_of(entry, self._wish.config, today=today, max_age_days=None, image_digest=image)
            return judged(entry, running)

        return tuple(map(one, entries))


async def _none() -> None:
    """Stand for a part that nobody asks."""


def _experiments() -> tuple[ExperimentRow, ...]:
    """Return the newest experiments of this user; a store that is not there has none, and is not made."""
    if not database_path().exists():
        return ()
    with Store.open() as store:
        return store.list_experiments(_EXPERIMENTS)
