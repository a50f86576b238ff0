"""A server that is measured: who it is, how it counts, what its counters say. Not the load itself."""

__all__ = ["Server"]

import asyncio
import time
from dataclasses import replace
from types import TracebackType
from typing import Final, Self

from sparktune.bench.exposition import parse_exposition
from sparktune.engines import all_engines, detect
from sparktune.errors import ConnectFailed, EndpointError, NotReady, NotTrusted
from sparktune.io.http.address import Address, parse_address
from sparktune.io.http.client import Client
from sparktune.io.http.errors import answer_error
from sparktune.io.http.usage import encode, is_model_list, read_usage
from sparktune.io.load.wire import post_bytes
from sparktune.io.secrets import Secret, headers
from sparktune.io.together import together
from sparktune.model.engine import Answer, Engine, EngineFacts
from sparktune.model.options import Api, SendOptions
from sparktune.model.prepared import Messages
from sparktune.model.raw import Scrape
from sparktune.model.recording import Recording
from sparktune.model.timeline import Usage
from sparktune.units import Bytes, Seconds, Tokens, format_duration

_OK: Final = 200
_NO_ROUTE: Final = frozenset({404, 405, 501})
_NOT_YET: Final = 503
_MODELS = "/v1/models"
_HEALTH = "/health"
_PROBE_S: Seconds = 20.0
_SCRAPE_S: Seconds = 5.0
# An engine's metrics are some 100 KB; reading ten times more each second would cost more than it tells.
_MOST_METRICS_BYTES: Bytes = 2 * 1024 * 1024
_COUNT_S: Seconds = 120.0
_PREFILL_S: Seconds = 900.0  # one cold prompt of the longest context on a small machine
_RETRY_S: Seconds = 0.5
_IDLE_LOOK_S: Seconds = 0.05


class Server:
    """Everything that is asked of a server beside the load; use as an async context manager.

    Every method that asks raises an EndpointError with a hint when no usable answer comes.
    """

    def __init__(self, base_url: str, api_key: Secret | None = None, *, reuse: bool = True) -> None:
        """Read the address (UsageError when it is none); nothing is opened yet. ``reuse`` as in ``Client``."""
        self.address: Address = parse_address(base_url)
        self._secret = api_key
        self._client = Client(self.address, api_key, reuse=reuse)
        self._models: tuple[str, ...] = ()
        self._missing: set[str] = set()

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.__aexit__(kind, error, trace)

    @property
    def base_url(self) -> str:
        """The address in the form that is recorded."""
        return self.address.base_url

    async def probe(self) -> tuple[Engine, EngineFacts]:
        """Ask every engine's routes at once and return the first engine, by rank, that knows the answers."""
        paths = sorted({_HEALTH, _MODELS}.union(*(engine.probe_paths for engine in all_engines())))
        listed, *others = await together(
            self._client.get(_MODELS, timeout_s=_PROBE_S),
            *(self._try(path) for path in paths if path != _MODELS),
        )
        answers = dict(zip((path for path in paths if path != _MODELS), others, strict=True)) | {_MODELS: listed}
        self._refuse(answers[_HEALTH], listed)
        engine, facts = detect(answers)
        self._models = facts.models
        return engine, facts

    async def wait_ready(self, *, limit_s: Seconds) -> tuple[Engine, EngineFacts]:
        """Probe until the server is ready, for at most ``limit_s`` seconds; then raise what stood in the way."""
        until = time.monotonic() + limit_s
        while True:
            try:
                return await self.probe()
            except NotTrusted:
                raise
            except (ConnectFailed, NotReady) as error:
                if time.monotonic() + _RETRY_S > until:
                    if limit_s > 0:
                        raise _after_waiting(error, limit_s) from error
                    raise
            await asyncio.sleep(_RETRY_S)

    async def count_tokens(self, engine: Engine, messages: Messages, options: SendOptions) -> Tokens | None:
        """Count as the engine's tokenizer does; None when this server has no route for it or does not tell."""
        api = engine.tokenize
        if api is None or api.route(messages) in self._missing:
            return None
        path = api.route(messages)
        body = encode(api.body(options.model, messages, options))
        answer = await self._client.post(path, body, timeout_s=_COUNT_S)
        if answer.status in _NO_ROUTE:
            self._missing.add(path)
            return None
        if answer.status != _OK:
            raise self._error(answer, path)
        return api.count(answer.body)

    async def count_text(self, engine: Engine, text: str, options: SendOptions) -> Tokens | None:
        """Count a piece of output text, without what a tokenizer puts in front of a prompt; None when it cannot."""
        try:
            whole = await self.count_tokens(engine, (("", text),), options)
            nothing = await self.count_tokens(engine, (("", ""),), options)
        except EndpointError:
            return None
        return None if whole is None or nothing is None else whole - nothing

    async def usage_of(self, api: Api, body: bytes, *, doing: str = "") -> Usage:
        """Send a request that is not streamed and return the counts of its answer; ``doing`` names it in errors."""
        path = f"/v1/{api.value}"
        answer = await self._client.post(path, body, timeout_s=_PREFILL_S)
        usage = read_usage(answer.body) if answer.status == _OK else None
        if usage is None:
            raise self._error(answer, path, doing=doing)
        return usage

    async def answer(self, api: Api, body: bytes, *, timeout_s: Seconds) -> Answer:
        """Send a request and return what is answered, an error too, and a stream when it is over."""
        return await self._client.post(f"/v1/{api.value}", body, timeout_s=timeout_s)

    async def scrape(self, engine: Engine) -> Scrape | None:
        """Read the metrics route, unparsed; None when there is none, it does not answer, or it tells far too much."""
        path = engine.metrics_path
        if path is None or path in self._missing:
            return None
        try:
            answer = await self._client.get(path, timeout_s=_SCRAPE_S)
        except EndpointError:
            return None
        if answer.status in _NO_ROUTE or len(answer.body) > _MOST_METRICS_BYTES:
            self._missing.add(path)
            return None
        if answer.status != _OK:
            return None
        return Scrape(at_ns=time.monotonic_ns(), body=answer.body, headers=answer.headers)

    async def wait_idle(self, engine: Engine, *, limit_s: Seconds) -> bool | None:
        """Wait until no request runs or waits: True; False after ``limit_s``; None when the server does not tell."""
        until = time.monotonic() + limit_s
        while True:
            scrape = await self.scrape(engine)
            gauges = engine.gauges(parse_exposition(scrape.body), scrape.at_ns) if scrape else None
            if gauges is None or gauges.running is None:
                return None
            if gauges.running == 0 and not gauges.waiting:
                return True
            if time.monotonic() + _IDLE_LOOK_S > until:
                return False
            await asyncio.sleep(_IDLE_LOOK_S)

    def post_bytes(self, api: Api, body: bytes) -> bytes:
        """Return a whole HTTP request for the load client. It holds the API key: it is sent, and never kept."""
        fields = {"Content-Type": "application/json", **headers(self._secret)}
        return post_bytes(self.address.target, f"{self.address.prefix}/v1/{api.value}", fields, body)

    def without_key(self, recording: Recording) -> Recording:
        """Return what was recorded as it may be kept: with stars for the API key, should the server have repeated it.

        Only a key in one piece is found: not one that a model spells out over several chunks.
        """
        data = self._secret.hide(recording.data, keep_length=True) if self._secret else recording.data
        return recording if data is recording.data else replace(recording, data=data)

    async def _try(self, path: str) -> Answer:
        try:
            return await self._client.get(path, timeout_s=_PROBE_S)
        except EndpointError as error:
            return Answer(status=0, error=str(error))

    def _refuse(self, health: Answer, listed: Answer) -> None:
        """Stop at what makes every further question useless; a server without a model list may still be measured."""
        for path, answer in ((_MODELS, listed), (_HEALTH, health)):
            if answer.status == _NOT_YET:
                raise self._error(answer, path)
        absent = listed.status in _NO_ROUTE and not listed.body.lstrip().startswith(b"<")
        if not absent and not (listed.status == _OK and is_model_list(listed.body)):
            raise self._error(listed, _MODELS)

    def _error(self, answer: Answer, path: str, *, doing: str = "") -> EndpointError:
        return answer_error(self.address, answer, path=path, keyed=self._client.keyed, models=self._models, doing=doing)


def _after_waiting(error: ConnectFailed | NotReady, waited_s: Seconds) -> EndpointError:
    """Say that waiting did not help; who waited already is not told to wait, but to wait longer."""
    hint = "wait longer: --wait SECONDS" if isinstance(error, NotReady) else error.hint
    return type(error)(f"{error}, after waiting {format_duration(waited_s)}", hint=hint)
