"""Make the requests of a wave before it starts: exact lengths, unique from the first word on, encoded.

Every shape (depth and prompt tokens) is fitted once. Where the server has a tokenizer, every prompt is then fitted on
a text of its own; where only ``usage`` tells, the fitted text is sent with another nonce each time, since counting
would cost a prefill per prompt.
"""

__all__ = ["Preparation"]

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from sparktune.bench.arrivals import starts_of
from sparktune.bench.body import build_body
from sparktune.bench.conversation import CONTEXT_REPLY_TOKENS, SHORT_PROMPT, conversation, prompt_digest
from sparktune.bench.corpus import Corpus
from sparktune.bench.prompts import Fitted
from sparktune.errors import RequestRejected, UsageError
from sparktune.flows.bench.counting import CountBy, TokenCounter, TokenServer
from sparktune.flows.bench.fitting import Fitter, Texts
from sparktune.flows.bench.household import HouseholdFitter, HouseholdTexts
from sparktune.flows.bench.own_prompts import OwnPromptCounter
from sparktune.flows.bench.replay import ReplayFitter
from sparktune.flows.bench.replay_wave import ReplayWaves
from sparktune.io.together import together
from sparktune.model.cell import Cell
from sparktune.model.engine import Engine
from sparktune.model.mix import Household, OwnPrompts
from sparktune.model.options import Api, SendOptions
from sparktune.model.prepared import Messages, PreparedRequest, PreparedWave
from sparktune.model.trial import Phase
from sparktune.units import Tokens

_ATTEMPTS = 8  # prompts of one or two tokens cannot all be unique: then V03 tells


class Preparation:
    """Prepares waves. Counting goes over the network: never call it while a trial runs.

    ``seed`` chooses the texts; ``max_model_len`` is the server's limit for prompt and output together, if it tells.
    """

    def __init__(
        self,
        server: TokenServer,
        engine: Engine,
        options: SendOptions,
        corpus: Corpus,
        *,
        seed: int = 0,
        max_model_len: Tokens | None = None,
    ) -> None:
        """Remember what prompts are made of, and for whom."""
        self._engine = engine
        self._options = options
        self._seed = seed
        self._max_model_len = max_model_len
        self._counter = TokenCounter(server, engine, options)
        self._fitter = Fitter(self._counter, corpus, options.api)
        self._shapes: dict[tuple[Tokens, Tokens], Texts] = {}
        self._begun: dict[str, str] = {}  # how a request begins, as a digest -> the nonce of the request that does
        self._households = HouseholdFitter(self._counter, self._fitter, corpus, options.api)
        self._household_shapes: dict[Household, HouseholdTexts] = {}
        fitter = ReplayFitter(self._counter, self._fitter, options.api)
        self._replays = ReplayWaves(self._counter, fitter, corpus.traffic, options.api, max_model_len)
        self._own_prompts = corpus.prompts
        self._own = OwnPromptCounter(self._counter, options.api, max_model_len)

    async def check(self, cells: Iterable[Cell]) -> None:
        """Fit every shape now, so that a cell that cannot be sent ends a run at its start and not in its middle.

        Raises UsageError for a prompt shorter than its chat template allows, RequestRejected for a cell that is
        longer than the server takes.
        """
        for cell in cells:
            if cell.household:
                await self._household_shape(cell, cell.household)
            elif cell.replay:
                self._replays.check(cell.replay)
            elif cell.prompts:
                await self._own_wave(cell, cell.prompts, "check")
            else:
                await self._shape(cell)

    async def wave(self, cell: Cell, *, key: str, phase: Phase, index: int) -> PreparedWave:
        """Return the requests of one wave, and those that load their contexts when the cell has depth.

        ``key`` names the run, and the attempt at it: the same arguments give the same requests, another key other
        nonces. When they are sent depends on the workload's seed, not on the key. Raises what ``check`` raises.
        """
        place = f"{cell.label}/{phase.value}/{index}"
        if cell.household:
            wave = await self._household_wave(cell, cell.household, place, f"{key}/{place}")
        elif cell.replay:
            keys = (f"{self._seed}/{place}", f"{key}/{place}")
            return await self._replays.wave(cell, cell.replay, keys, self._request)
        elif cell.prompts:
            wave = await self._own_wave(cell, cell.prompts, f"{key}/{place}")
        else:
            wave = await self._uniform_wave(cell, place, key)
        return wave if cell.is_plain else replace(wave, starts=starts_of(cell, f"{self._seed}/{place}"))

    async def _uniform_wave(self, cell: Cell, wave: str, key: str) -> PreparedWave:
        shape = await self._shape(cell)
        by = await self._counter.how(conversation(self._options.api, SHORT_PROMPT if cell.depth else "", SHORT_PROMPT))
        places = [f"{wave}/{stream}" for stream in range(cell.concurrency)]
        nonces = [f"{key}/{place}" for place in places]
        texts = await self._unlike(cell, shape, by, tuple(zip(places, nonces, strict=True)))
        counted = by is not CountBy.USAGE
        return PreparedWave(
            requests=tuple(
                self._measured(cell, stream, one, nonce, counted=counted)
                for stream, (one, nonce) in enumerate(zip(texts, nonces, strict=True))
            ),
            contexts=tuple(
                self._loading(stream, one.context, counted=counted) for stream, one in enumerate(texts) if one.context
            ),
            residual=max(abs(one.prompt.tokens - one.prompt.target) for one in texts),
            counted_by=by.value,
        )

    async def _unlike(
        self, cell: Cell, shape: Texts, by: CountBy, places: Sequence[tuple[str, str]]
    ) -> Sequence[Texts]:
        """Return texts for every place and nonce, each beginning as no other request of this preparation does."""

        async def texts_of(place: str, nonce: str) -> Texts:
            if by is CountBy.USAGE:
                return shape.renewed(nonce)
            return await self._fitter.fit(cell, text_key=f"{self._seed}/{place}", nonce=nonce, near=shape)

        texts = list(await together(*(texts_of(place, nonce) for place, nonce in places)))
        for stream, (place, nonce) in enumerate(places):
            for attempt in range(1, _ATTEMPTS):
                if self._begins_alone(texts[stream], nonce):
                    break
                texts[stream] = await texts_of(place, f"{nonce}/{attempt}")
        return texts

    def _begins_alone(self, texts: Texts, nonce: str) -> bool:
        """Tell whether no other request begins like this one.

        A vocabulary of single letters makes a prompt of eight tokens a word and a half, and words repeat by chance.
        """
        context = texts.context.text if texts.context else ""
        begins = prompt_digest(conversation(self._options.api, context, texts.prompt.text))
        return self._begun.setdefault(begins, nonce) == nonce

    async def _household_wave(self, cell: Cell, mix: Household, place: str, nonce: str) -> PreparedWave:
        """Build the turns, which share a prefix that may be cached, and the long prompt, which is new."""
        shape = await self._household_shape(cell, mix)
        by = await self._counter.how(conversation(self._options.api, "", SHORT_PROMPT))
        counted = by is not CountBy.USAGE
        if counted:
            key = f"{self._seed}/{place}"
            texts = await self._households.fit(cell, mix, text_key=key, nonce=nonce, near=shape)
        else:
            texts = shape.renewed(nonce)
        api = self._options.api
        turns = [
            self._request(
                turn,
                texts.session(api, turn),
                asked=mix.prompt_tokens(turn),
                counted=one.tokens if counted else None,
                output_tokens=mix.reply_tokens,
                cold_key=None,
            )
            for turn, one in enumerate(texts.turns)
        ]
        long = self._request(
            mix.long_stream,
            conversation(api, "", texts.long.text),
            asked=mix.long_tokens,
            counted=texts.long.tokens if counted else None,
            output_tokens=mix.long_reply_tokens,
            cold_key=_digest(nonce),
        )
        return PreparedWave(requests=(*turns, long), residual=texts.residual, counted_by=by.value)

    async def _own_wave(self, cell: Cell, prompts: OwnPrompts, nonce: str) -> PreparedWave:
        """Build a request of every prompt of the file."""
        if len(self._own_prompts) != prompts.count:
            message = f"the prompts of {prompts.name} are not at hand"
            raise UsageError(message, hint="name the file: --prompts FILE")
        requests = await together(
            *(self._own_request(cell, prompts, stream, f"{nonce}/{stream}") for stream in range(prompts.count))
        )
        counted = all(request.prompt_tokens_counted is not None for request in requests)
        return PreparedWave(requests=tuple(requests), counted_by="tokenizer" if counted else "not counted")

    async def _own_request(self, cell: Cell, prompts: OwnPrompts, stream: int, nonce: str) -> PreparedRequest:
        own = await self._own.own(cell, self._own_prompts[stream], nonce if prompts.nonce else "")
        return self._request(
            stream,
            own.messages,
            asked=own.tokens or 0,
            counted=own.tokens,
            output_tokens=own.output_tokens,
            cold_key=_digest(nonce) if prompts.nonce else None,
        )

    async def _household_shape(self, cell: Cell, mix: Household) -> HouseholdTexts:
        last = mix.prompt_tokens(mix.turns - 1) + mix.reply_tokens
        self._refuse_longer(cell, max(last, mix.long_tokens + mix.long_reply_tokens))
        if mix not in self._household_shapes:
            texts = await self._households.fit(cell, mix, text_key=f"{self._seed}/shape", nonce=f"shape/{mix.label}")
            self._household_shapes[mix] = texts
        return self._household_shapes[mix]

    def _refuse_longer(self, cell: Cell, needed: Tokens) -> None:
        if self._max_model_len is not None and needed > self._max_model_len:
            message = f"{cell.label} needs {needed} tokens per request, the server takes {self._max_model_len}"
            raise RequestRejected(message, hint="use a smaller cell, or start the server with a longer context")

    async def _shape(self, cell: Cell) -> Texts:
        self._refuse_longer(cell, cell.total_prompt_tokens + cell.output_tokens)
        size = (cell.depth, cell.prompt_tokens)
        if size not in self._shapes:
            place = f"shape/{cell.depth}/{cell.prompt_tokens}"
            self._shapes[size] = await self._fitter.fit(cell, text_key=f"{self._seed}/{place}", nonce=place)
        return self._shapes[size]

    def _measured(self, cell: Cell, stream: int, texts: Texts, nonce: str, *, counted: bool) -> PreparedRequest:
        context = texts.context.text if texts.context else ""
        messages = conversation(self._options.api, context, texts.prompt.text)
        return self._request(
            stream,
            messages,
            asked=cell.total_prompt_tokens,
            counted=texts.prompt.tokens if counted else None,
            output_tokens=cell.output_tokens,
            cold_key=None if cell.depth else _digest(nonce),
        )

    def _loading(self, stream: int, context: Fitted, *, counted: bool) -> PreparedRequest:
        """Build the request that leaves the context of this stream in the server's prefix cache."""
        return self._request(
            stream,
            conversation(self._options.api, context.text, SHORT_PROMPT if self._options.api is Api.CHAT else ""),
            asked=context.target,
            counted=context.tokens if counted else None,
            output_tokens=CONTEXT_REPLY_TOKENS,
            cold_key=None,
        )

    def _request(
        self,
        stream: int,
        messages: Messages,
        *,
        asked: Tokens,
        counted: Tokens | None,
        output_tokens: Tokens,
        cold_key: str | None,
    ) -> PreparedRequest:
        body = build_body(
            self._options,
            self._engine,
            messages,
            output_tokens,
            cold=cold_key is not None,
            nonce=cold_key or "",
        )
        return PreparedRequest(
            stream=stream,
            prompt_sha256=prompt_digest(messages),
            prompt_tokens_asked=asked,
            prompt_tokens_counted=counted,
            output_tokens_asked=output_tokens,
            body=body,
        )


def _digest(nonce: str) -> str:
    return hashlib.sha256(nonce.encode()).hexdigest()
