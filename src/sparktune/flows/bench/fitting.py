"""Fit the texts of one request: its context, where the cell has one, and the prompt that fills it up."""

__all__ = ["Fitter", "Texts", "part_words"]

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from functools import partial

from sparktune.bench.conversation import SHORT_PROMPT, conversation
from sparktune.bench.corpus import Corpus
from sparktune.bench.nonce import nonce_words
from sparktune.bench.prompts import CHARS_PER_TOKEN, PROMPT_WORDS, Fitted, TooSmall, fit
from sparktune.errors import UsageError
from sparktune.flows.bench.counting import TokenCounter
from sparktune.model.cell import Cell
from sparktune.model.options import Api
from sparktune.units import Tokens

_CONTEXT = "context"
_PROMPT = "prompt"


@dataclass(frozen=True, slots=True)
class Texts:
    """A context, where the cell has one, and a prompt that fills the request up to the asked total."""

    context: Fitted | None
    prompt: Fitted

    def renewed(self, nonce: str) -> "Texts":
        """Return texts of the same shape behind another nonce; their counts are those of the first ones."""
        context = self.context.renewed(part_words(nonce, _CONTEXT)) if self.context else None
        return Texts(context, self.prompt.renewed(part_words(nonce, _PROMPT)))


@dataclass(frozen=True, slots=True)
class _Part:
    """What is fitted: its name, its tokens, what chooses its text and its nonce, and a text of the same density."""

    name: str
    tokens: Tokens
    text_key: str
    nonce: str
    near: Fitted | None

    @property
    def words(self) -> tuple[str, ...]:
        return part_words(self.nonce, self.name)


class Fitter:
    """Fits texts of a corpus by a server's counts."""

    def __init__(self, counter: TokenCounter, corpus: Corpus, api: Api) -> None:
        """Remember what texts are made of, and how they are sent."""
        self._counter = counter
        self._corpus = corpus
        self._api = api

    async def fit(self, cell: Cell, *, text_key: str, nonce: str, near: Texts | None = None) -> Texts:
        """Return texts of exactly the cell's lengths: windows chosen by ``text_key`` behind words of ``nonce``.

        ``near`` are texts of the same shape, whose density serves the first guess. Raises UsageError when the prompt
        is shorter than what the server's chat template alone takes.
        """
        context = None
        if cell.depth:
            part = _Part(_CONTEXT, cell.depth, text_key, nonce, near.context if near else None)
            context = await self._context(cell, part)
        count = partial(self._count, cell, context.text if context else "")
        part = _Part(_PROMPT, cell.prompt_tokens, text_key, nonce, near.prompt if near else None)
        return Texts(context, await self._part(part, cell.depth, count))

    async def part(
        self,
        name: str,
        tokens: Tokens,
        beside: Tokens,
        count: Callable[[str], Awaitable[Tokens]],
        *,
        text_key: str,
        nonce: str,
        near: Fitted | None,
    ) -> Fitted:
        """Return a text that makes ``count``, the tokens of a whole request, ``beside`` + ``tokens``; see ``fit``."""
        return await self._part(_Part(name, tokens, text_key, nonce, near), beside, count)

    async def _context(self, cell: Cell, part: _Part) -> Fitted:
        """Fit the context so that the request that loads it has ``depth`` tokens, its chat template included.

        So no more than ``depth`` tokens can come from the cache afterwards, whatever a template puts in front.
        """

        async def count(text: str) -> Tokens:
            return await self._count(cell, text, SHORT_PROMPT if self._api is Api.CHAT else "")

        return await self._part(part, 0, count)

    async def _part(self, part: _Part, beside: Tokens, count: Callable[[str], Awaitable[Tokens]]) -> Fitted:
        """Fit one part; ``beside`` are the tokens of a count that are asked for in addition to the part's."""
        window = partial(self._corpus.window, f"{part.text_key}/{part.name}")
        density = part.near.chars_per_token if part.near else CHARS_PER_TOKEN
        fitted = await _answer(fit(beside + part.tokens, part.words, window, chars_per_token=density), count)
        if isinstance(fitted, TooSmall):
            smallest = fitted.smallest - beside
            message = f"a {part.name} of {part.tokens} tokens cannot be sent: the shortest has {smallest}"
            hint = f"ask for at least {smallest} {part.name} tokens; a chat template takes some for itself"
            raise UsageError(message, hint=hint)
        return fitted

    async def _count(self, cell: Cell, context: str, prompt: str) -> Tokens:
        messages = conversation(self._api, context, prompt)
        return await self._counter.count(messages, doing=cell.label)


async def _answer(
    fitting: Generator[str, Tokens, Fitted | TooSmall], count: Callable[[str], Awaitable[Tokens]]
) -> Fitted | TooSmall:
    try:
        text = next(fitting)
        while True:
            text = fitting.send(await count(text))
    except StopIteration as end:
        result: Fitted | TooSmall = end.value
        return result


def part_words(nonce: str, part: str) -> tuple[str, ...]:
    """Return the words that go in front of a part of a request; only this nonce and part give them."""
    return nonce_words((nonce, part), PROMPT_WORDS)
