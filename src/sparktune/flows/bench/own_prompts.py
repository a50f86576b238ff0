"""The user's own prompts: sent as they are, or behind a nonce; counted beforehand where the server has a tokenizer."""

__all__ = ["Own", "OwnPromptCounter"]

from dataclasses import dataclass

from sparktune.bench.corpus import OwnPrompt
from sparktune.bench.nonce import nonce_words
from sparktune.errors import NotOpenAI, RequestRejected, UsageError
from sparktune.flows.bench.counting import CountBy, TokenCounter
from sparktune.model.cell import Cell
from sparktune.model.options import Api
from sparktune.model.prepared import Messages
from sparktune.units import Tokens

_GAP = "\n\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """One prompt as it is sent; ``tokens`` None when nothing counts it without computing it."""

    messages: Messages
    tokens: Tokens | None
    output_tokens: Tokens


class OwnPromptCounter:
    """Knows how long prompts are; those that are sent as they are, are counted once."""

    def __init__(self, counter: TokenCounter, api: Api, max_model_len: Tokens | None) -> None:
        """Remember whom to ask, and what the server takes."""
        self._counter = counter
        self._api = api
        self._max_model_len = max_model_len
        self._known: dict[Messages, Tokens | None] = {}

    async def own(self, cell: Cell, prompt: OwnPrompt, nonce: str) -> Own:
        """Return what is sent; ``nonce`` "" sends the prompt as it is.

        Raises UsageError for a form that the measured route has no place for, RequestRejected for a prompt that is
        longer than the server takes.
        """
        messages = _own_messages(self._api, prompt, nonce)
        output = prompt.output_tokens or cell.output_tokens
        tokens = self._known[messages] if messages in self._known else await self._count(cell, messages)
        if not nonce:
            self._known[messages] = tokens
        if self._max_model_len is not None and (tokens or 0) + output > self._max_model_len:
            message = (
                f"{prompt.place}: {tokens or 'unknown'} prompt and {output} output tokens, the server takes "
                f"{self._max_model_len} together"
            )
            raise RequestRejected(message, hint="shorten the prompt or its output_tokens")
        return Own(messages=messages, tokens=tokens, output_tokens=output)

    async def _count(self, cell: Cell, messages: Messages) -> Tokens | None:
        try:
            by = await self._counter.how(messages)
        except NotOpenAI:  # it tells no counts at all: its answers are measured all the same
            return None
        # Counting by a request would leave the prompt in the server's cache before it is measured.
        return None if by is CountBy.USAGE else await self._counter.count(messages, doing=cell.label)


def _own_messages(api: Api, prompt: OwnPrompt, nonce: str) -> Messages:
    """Return the messages of a prompt, behind the words of a nonce if there is one. Raises UsageError."""
    messages = prompt.messages
    if api is Api.CHAT:
        messages = tuple((role or "user", content) for role, content in messages)
    elif any(role for role, _ in messages):
        message = f"{prompt.place}: messages go to the chat route only, and completions is measured"
        raise UsageError(message, hint='leave --api completions out, or write it as {"prompt": "..."}')
    if not nonce:
        return messages
    (role, content), *others = messages
    return ((role, _GAP.join((" ".join(nonce_words((nonce,))), content))), *others)
