"""The waves of a replay: every request of a trace as it is sent, and when."""

__all__ = ["MakeRequest", "ReplayWaves"]

from typing import Protocol

from sparktune.bench.conversation import SHORT_PROMPT, conversation
from sparktune.errors import RequestRejected, UsageError
from sparktune.flows.bench.counting import CountBy, TokenCounter
from sparktune.flows.bench.replay import ReplayFitter, ReplayText, ReplayTexts
from sparktune.model.arrival import Start
from sparktune.model.cell import Cell
from sparktune.model.mix import Replay
from sparktune.model.options import Api
from sparktune.model.prepared import Messages, PreparedRequest, PreparedWave
from sparktune.model.traffic import Traffic
from sparktune.units import Tokens


class MakeRequest(Protocol):
    """Builds one request of a wave; ``cold_key`` None lets the server use its cache."""

    def __call__(
        self,
        stream: int,
        messages: Messages,
        *,
        asked: Tokens,
        counted: Tokens | None,
        output_tokens: Tokens,
        cold_key: str | None,
    ) -> PreparedRequest:
        """Return the request."""


class ReplayWaves:
    """Prepares replays of one trace; ``traffic`` None is none at hand."""

    def __init__(
        self,
        counter: TokenCounter,
        fitter: ReplayFitter,
        traffic: Traffic | None,
        api: Api,
        max_model_len: Tokens | None,
    ) -> None:
        """Remember what texts are fitted by, and what the server takes."""
        self._counter = counter
        self._fitter = fitter
        self._traffic = traffic
        self._api = api
        self._max_model_len = max_model_len
        self._shape: ReplayTexts | None = None

    def check(self, replay: Replay) -> Traffic:
        """Return the traffic of a replay.

        Raises UsageError when another one is at hand, RequestRejected for a request longer than the server takes.
        """
        traffic, limit = self._traffic, self._max_model_len
        if traffic is None or (traffic.digest, len(traffic.requests)) != (replay.digest, replay.count):
            message = f"the traffic of {replay.name} is not at hand"
            raise UsageError(message, hint="name the file: --workload FILE.jsonl")
        for request in traffic.requests:
            needed = request.prompt_tokens + (request.output_tokens or 0)
            if limit is not None and needed > limit:
                message = f"{request.place}: prompt and output have {needed:,} tokens, the server takes {limit:,}"
                raise RequestRejected(message, hint="start it with a longer context, or take the line out")
        return traffic

    async def wave(self, cell: Cell, replay: Replay, keys: tuple[str, str], make: MakeRequest) -> PreparedWave:
        """Return all requests of the trace; ``keys`` choose texts and nonces. Raises what ``check`` raises."""
        traffic = self.check(replay)
        by = await self._counter.how(conversation(self._api, "", SHORT_PROMPT))
        texts = await self._texts(cell, traffic, keys, counted=by is not CountBy.USAGE)

        def request(stream: int, one: ReplayText) -> PreparedRequest:
            told = one.request.output_tokens
            return make(
                stream,
                conversation(self._api, "", one.text),
                asked=one.request.prompt_tokens,
                counted=one.tokens if by is not CountBy.USAGE else None,
                output_tokens=max(1, cell.output_tokens if told is None else told),
                cold_key=None,
            )

        return PreparedWave(
            requests=tuple(request(stream, one) for stream, one in enumerate(texts.prompts)),
            residual=texts.residual,
            counted_by=by.value,
            starts=tuple(Start(delay_s=one.request.at_s * replay.time_scale) for one in texts.prompts),
        )

    async def _texts(self, cell: Cell, traffic: Traffic, keys: tuple[str, str], *, counted: bool) -> ReplayTexts:
        """Fit every wave by itself, or, where a count costs a request, the first one only."""
        text_key, nonce = keys
        if counted:
            return await self._fitter.fit(cell, traffic.requests, text_key=text_key, nonce=nonce)
        if self._shape is None:
            self._shape = await self._fitter.fit(cell, traffic.requests, text_key=text_key, nonce="replay/shape")
        return self._shape.renewed(nonce)
