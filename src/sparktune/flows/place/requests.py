"""Whether an engine had requests between two looks, by its own counts: the first of the three of the idle gate."""

__all__ = ["Requests"]

from types import TracebackType
from typing import Self

from sparktune.bench.exposition import parse_exposition
from sparktune.errors import EndpointError
from sparktune.io.http.server import Server
from sparktune.model.counters import Counters
from sparktune.model.engine import Engine


class Requests:
    """``async with Requests(endpoint) as requests``; with "" as endpoint nothing is ever told.

    ``why_untold`` says why not, "" while it is told. A gauge of 0 at both ends hides a short request between them: the
    counters of what was sent and received must not have risen either.
    """

    def __init__(self, endpoint: str) -> None:
        """Prepare. Raises UsageError for an address that is none."""
        self._server = Server(endpoint) if endpoint else None
        self._engine: Engine | None = None
        self._before: dict[str, tuple[Counters, bool]] = {}
        self.why_untold = "" if endpoint else "no endpoint is named, see --endpoint and --service"

    async def __aenter__(self) -> Self:
        """Ask the server what it is; one that does not answer is no error, it only tells nothing."""
        if self._server is not None:
            await self._server.__aenter__()
            try:
                self._engine, _facts = await self._server.probe()
            except EndpointError as error:
                self.why_untold = str(error)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the server."""
        if self._server is not None:
            await self._server.__aexit__(kind, error, trace)

    async def idle_since_last(self, asker: str) -> bool | None:
        """Tell whether no request ran since this asker asked last; None at the first time and where nobody tells."""
        if self._server is None or self._engine is None:
            return None
        scrape = await self._server.scrape(self._engine)
        samples = tuple(parse_exposition(scrape.body)) if scrape else ()
        gauges = self._engine.gauges(samples, scrape.at_ns) if scrape else None
        if scrape is None or gauges is None or gauges.running is None:
            self.why_untold = "the server's metrics do not tell how many requests run"
            self._before.pop(asker, None)
            return None
        idle = gauges.running == 0 and not gauges.waiting
        counters = self._engine.counters(samples, scrape.headers)
        last = self._before.get(asker)
        self._before[asker] = counters, idle
        if last is None:
            return None
        return idle and last[1] and _same(last[0], counters)


def _same(before: Counters, after: Counters) -> bool:
    return (before.requests_finished, before.prompt_tokens, before.generation_tokens, before.identity) == (
        after.requests_finished,
        after.prompt_tokens,
        after.generation_tokens,
        after.identity,
    )
