"""Drive one wave: counters before, the load, gauges while it runs, counters after; nothing is parsed meanwhile."""

__all__ = ["WaveTools", "record_wave"]

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from sparktune.bench.decode import decode
from sparktune.host.cpulist import CpuSet
from sparktune.io.http.server import Server
from sparktune.io.load.client import LoadClient, WaveRecording
from sparktune.io.load.client import Progress as LoadProgress
from sparktune.io.load.target import Limits
from sparktune.model.arrival import Start
from sparktune.model.cell import Cell
from sparktune.model.engine import Engine
from sparktune.model.options import SendOptions
from sparktune.model.prepared import PreparedRequest
from sparktune.model.raw import RawRequest, RawTrial, Scrape
from sparktune.model.recording import End, Recording
from sparktune.model.timeline import CountMethod
from sparktune.model.trial import Phase
from sparktune.units import Seconds, Tokens

# A person should see progress, and gauges move at the engine's pace; neither may cost the load anything.
_LOOK_EVERY_S: Seconds = 0.5
_SCRAPE_EVERY_S: Seconds = 1.0
# Counters are read again when the server says that it is idle, but a busy neighbour must not hold us up.
_IDLE_LIMIT_S: Seconds = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WaveTools:
    """What every wave of a run uses; ``cores`` are those that it is measured on, none named: all."""

    server: Server
    limits: Limits
    engine: Engine
    options: SendOptions
    cores: CpuSet = frozenset()


async def record_wave(
    tools: WaveTools,
    cell: Cell,
    phase: Phase,
    index: int,
    requests: Sequence[PreparedRequest],
    starts: Sequence[Start] = (),
    *,
    keep: Callable[[RawRequest], None],
    look: Callable[[LoadProgress], None],
    scraped: Callable[[Scrape], None] = lambda _scrape: None,
) -> RawTrial:
    """Send the prepared requests, at once or as ``starts`` say, and return what was recorded.

    ``keep`` gets each request as it ends, from the measuring thread; ``look`` is called about twice a second,
    ``scraped`` with each answer of the metrics route. A cancellation while the wave runs stops the load: the trial that
    is returned then is not ``complete``.
    """
    payloads = [tools.server.post_bytes(tools.options.api, request.body) for request in requests]
    before = await tools.server.scrape(tools.engine)
    client = LoadClient(
        tools.server.address.target,
        tools.limits,
        on_request=lambda stream, recording: keep(_raw_request(tools, requests[stream], recording)),
        cores=tools.cores,
    )
    load = asyncio.create_task(asyncio.to_thread(client.run_wave, payloads, starts))
    async with _scraped_meanwhile(tools, scraped) as during:
        recorded = await _watch(client, load, look)
    # A wave that was stopped counts nothing, and its server may be in trouble: it is not asked any more.
    complete = not any(recording.end is End.STOPPED for recording in recorded.recordings)
    after = None
    if complete:
        await tools.server.wait_idle(tools.engine, limit_s=_IDLE_LIMIT_S)
        after = await tools.server.scrape(tools.engine)
    return RawTrial(
        cell=cell,
        index=index,
        phase=phase,
        started_wall_s=recorded.started_wall_s,
        requests=await _raw_requests(tools, requests, recorded.recordings, counted=complete),
        health=recorded.health,
        before=before,
        after=after,
        during=tuple(during),
        complete=complete,
    )


@asynccontextmanager
async def _scraped_meanwhile(tools: WaveTools, tell: Callable[[Scrape], None]) -> AsyncIterator[list[Scrape]]:
    """Yield a list to which the gauges are added, read again and again until the end."""
    scrapes: list[Scrape] = []
    scraper = asyncio.create_task(_scrape_until_cancelled(tools, scrapes, tell))
    try:
        yield scrapes
    finally:
        scraper.cancel()
        with suppress(asyncio.CancelledError):
            await scraper


async def _watch(
    client: LoadClient, load: asyncio.Task[WaveRecording], look: Callable[[LoadProgress], None]
) -> WaveRecording:
    try:
        while not load.done():
            await asyncio.wait({load}, timeout=_LOOK_EVERY_S)
            look(client.progress())
    except asyncio.CancelledError:
        # The load runs in a thread that a cancellation does not reach: stop it, and keep what it has.
        client.stop()
        task = asyncio.current_task()
        if task is not None:
            task.uncancel()
    return await load


async def _scrape_until_cancelled(tools: WaveTools, scrapes: list[Scrape], tell: Callable[[Scrape], None]) -> None:
    while True:
        await asyncio.sleep(_SCRAPE_EVERY_S)
        scrape = await tools.server.scrape(tools.engine)
        if scrape is None:
            return
        scrapes.append(scrape)
        tell(scrape)


async def _raw_requests(
    tools: WaveTools, requests: Sequence[PreparedRequest], recordings: Sequence[Recording], *, counted: bool
) -> tuple[RawRequest, ...]:
    """Return what was recorded of each request; ``counted``: with the tokens of its first chunk."""
    return tuple(
        [
            _raw_request(
                tools, request, recording, await _count_first_chunk(tools, request, recording) if counted else None
            )
            for request, recording in zip(requests, recordings, strict=True)
        ]
    )


def _raw_request(
    tools: WaveTools, request: PreparedRequest, recording: Recording, first_tokens: Tokens | None = None
) -> RawRequest:
    return RawRequest(
        stream=request.stream,
        prompt_sha256=request.prompt_sha256,
        prompt_tokens_asked=request.prompt_tokens_asked,
        output_tokens_asked=request.output_tokens_asked,
        recording=tools.server.without_key(recording),
        first_tokens=first_tokens,
    )


async def _count_first_chunk(tools: WaveTools, request: PreparedRequest, recording: Recording) -> Tokens | None:
    """Ask the server's tokenizer how many tokens the first chunk held, where the stream itself does not tell."""
    if tools.engine.tokenize is None:
        return None
    timeline = decode(
        recording,
        tools.engine,
        output_tokens_asked=request.output_tokens_asked,
        fixed_length=tools.options.fixed_length,
    )
    if timeline.count_method is not CountMethod.TOTAL_ONLY or not timeline.first_text:
        return None
    return await tools.server.count_text(tools.engine, timeline.first_text, tools.options)
