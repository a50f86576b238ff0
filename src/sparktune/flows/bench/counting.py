"""Count tokens as the server will: by its tokenizer where it has a route for it, else by requests of one token."""

__all__ = ["CountBy", "TokenCounter", "TokenServer"]

import asyncio
from enum import Enum
from typing import Protocol

from sparktune.bench.body import counting_body
from sparktune.bench.nonce import NONCE_WORDS, nonce_words
from sparktune.errors import NotOpenAI
from sparktune.model.engine import Engine
from sparktune.model.options import Api, SendOptions
from sparktune.model.prepared import Messages
from sparktune.model.timeline import Usage
from sparktune.units import Tokens

_AT_ONCE = 8  # a tokenizer has few threads; more questions at once only make it slower


class TokenServer(Protocol):
    """What counting needs of ``io.http.server.Server``."""

    async def count_tokens(self, engine: Engine, messages: Messages, options: SendOptions) -> Tokens | None:
        """Ask the tokenizer; None when there is no route for it."""

    async def usage_of(self, api: Api, body: bytes, *, doing: str = "") -> Usage:
        """Send a request and return the counts of its answer."""


class CountBy(Enum):
    """How prompts are counted; the value is recorded."""

    TOKENIZER = "tokenizer"  # the engine's route, compared once with usage
    TOKENIZER_UNCHECKED = "tokenizer, not compared with usage"  # the server tells no usage
    USAGE = "usage"  # requests of one token: one text per shape is counted, not every prompt


class TokenCounter:
    """Counts the tokens of a request, template included; asks the server, at most some questions at once.

    The first count of each form of request (with or without a system message) compares the tokenizer's answer with
    ``usage.prompt_tokens`` of a real request and keeps the difference, which is 0 where the tokenizer knows the
    template.
    """

    def __init__(self, server: TokenServer, engine: Engine, options: SendOptions) -> None:
        """Remember whom to ask."""
        self._server = server
        self._engine = engine
        self._options = options
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._forms: dict[tuple[str, ...], tuple[CountBy, Tokens]] = {}
        self._comparing = asyncio.Lock()

    async def how(self, messages: Messages) -> CountBy:
        """Say how requests of this form are counted. Raises NotOpenAI when the server tells nothing to count by."""
        return (await self._form(messages))[0]

    async def count(self, messages: Messages, *, doing: str) -> Tokens:
        """Return what ``usage.prompt_tokens`` of this request will be. ``doing`` names the work in errors."""
        by, offset = await self._form(messages)
        async with self._slots:
            if by is CountBy.USAGE:
                return self._known(await self._usage(messages, doing))
            return self._known(await self._server.count_tokens(self._engine, messages, self._options)) + offset

    async def _form(self, messages: Messages) -> tuple[CountBy, Tokens]:
        roles = tuple(role for role, _ in messages)
        async with self._comparing:
            if roles not in self._forms:
                self._forms[roles] = await self._compare(roles)
        return self._forms[roles]

    async def _compare(self, roles: tuple[str, ...]) -> tuple[CountBy, Tokens]:
        text = " ".join(nonce_words(("compare",), 2 * NONCE_WORDS))
        messages = tuple((role, text) for role in roles)
        told = await self._usage(messages, "counting tokens")
        tokenized = await self._server.count_tokens(self._engine, messages, self._options)
        if tokenized is None:
            self._known(told)
            return CountBy.USAGE, 0
        if told is None:
            return CountBy.TOKENIZER_UNCHECKED, 0
        return CountBy.TOKENIZER, told - tokenized

    async def _usage(self, messages: Messages, doing: str) -> Tokens | None:
        body = counting_body(self._options, self._engine, messages)
        return (await self._server.usage_of(self._options.api, body, doing=doing)).prompt_tokens

    def _known(self, tokens: Tokens | None) -> Tokens:
        if tokens is None:
            message = "the server does not tell how many tokens a prompt has: no tokenize route, no usage.prompt_tokens"
            raise NotOpenAI(message, hint="prompts of a given length need one of the two")
        return tokens
