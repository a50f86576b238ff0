"""Look at a server's metrics again and again, and hand on what they say; a server that is gone is tried again."""

__all__ = ["watch_engine"]

import asyncio
from collections.abc import Callable
from typing import Final

from sparktune.bench.engine_look import EngineMoment, kept_moments, look_at, moment_of
from sparktune.errors import EndpointError
from sparktune.io.http.server import Server
from sparktune.io.secrets import Secret
from sparktune.model.engine import Engine, EngineFacts
from sparktune.report.watch import WatchedEngine
from sparktune.units import Seconds

_AGAIN_S: Final[Seconds] = 10.0
_MOST_MISSED: Final = 3


async def watch_engine(
    service: str,
    url: str,
    api_key: Secret | None,
    show: Callable[[WatchedEngine], None],
    *,
    interval_s: Seconds,
    again_s: Seconds = _AGAIN_S,
) -> None:
    """Call ``show`` with every look, until cancelled. A server without metrics is named, and not asked again.

    Raises UsageError for an address that is none.
    """
    while True:
        try:
            async with Server(url, api_key) as server:
                engine, facts = await server.probe()
                known = _known(service, engine, facts)
                if engine.metrics_path is None or not facts.has_metrics:
                    show(_untold(known, "its numbers are unknown: it has no metrics, or does not show them here"))
                    return
                await _looks(server, engine, known, show, interval_s)
                show(_untold(known, "its metrics do not answer any more; it is tried again"))
        except EndpointError as error:
            show(WatchedEngine(service=service, untold=f"no answer: {error}"))
        await asyncio.sleep(again_s)


async def _looks(
    server: Server, engine: Engine, known: WatchedEngine, show: Callable[[WatchedEngine], None], interval_s: Seconds
) -> None:
    """Look until some answers in a row are missing."""
    moments: tuple[EngineMoment, ...] = ()
    missed, restarted = 0, False
    while missed < _MOST_MISSED:
        scrape = await server.scrape(engine)
        if scrape is None:
            missed += 1
        else:
            missed = 0
            # Parsing takes long enough to hold up the samples of nodes.
            moment = await asyncio.to_thread(moment_of, engine, scrape)
            kept = kept_moments(moments, moment)
            restarted = len(kept) == 1 and bool(moments)
            moments = kept
            look = look_at(moments, restarted=restarted)
            show(WatchedEngine(service=known.service, engine=known.engine, model=known.model, look=look))
        await asyncio.sleep(interval_s)


def _known(service: str, engine: Engine, facts: EngineFacts) -> WatchedEngine:
    named = f"{engine.name} {facts.version}" if facts.version else engine.name
    return WatchedEngine(service=service, engine=named, model=facts.models[0] if facts.models else "")


def _untold(known: WatchedEngine, why: str) -> WatchedEngine:
    return WatchedEngine(service=known.service, engine=known.engine, model=known.model, untold=why)
