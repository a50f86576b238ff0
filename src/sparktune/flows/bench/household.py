"""The texts of a household: a session that grows turn by turn, and the long prompt of the other agent.

What stands for the server's replies is text of the corpus: everything is known before the wave, and every turn has the
tokens that were asked for. So a turn shares with the server's cache what was *sent* before it, not what was written.
"""

__all__ = ["HouseholdFitter", "HouseholdTexts"]

from collections.abc import Iterator
from dataclasses import dataclass

from sparktune.bench.conversation import conversation
from sparktune.bench.corpus import Corpus
from sparktune.bench.prompts import Fitted
from sparktune.flows.bench.counting import TokenCounter
from sparktune.flows.bench.fitting import Fitter, part_words
from sparktune.model.cell import Cell
from sparktune.model.mix import Household
from sparktune.model.options import Api
from sparktune.model.prepared import Messages
from sparktune.units import Ratio, Tokens

# What a reply takes of the tokens that a turn adds, roughly: the rest is for the new message and the template.
_REPLY_SHARE: Ratio = 0.25
_LONG = "long prompt"
_GAP = "\n\n"


@dataclass(frozen=True, slots=True)
class HouseholdTexts:
    """The new message of every turn, what stands for the replies between them, and the long prompt."""

    turns: tuple[Fitted, ...]
    replies: tuple[str, ...]
    long: Fitted

    def renewed(self, nonce: str) -> "HouseholdTexts":
        """Return texts of the same shape behind other nonces; their counts are those of the first ones."""
        turns = tuple(turn.renewed(part_words(nonce, _name(place))) for place, turn in enumerate(self.turns))
        return HouseholdTexts(turns, self.replies, self.long.renewed(part_words(nonce, _LONG)))

    def session(self, api: Api, turn: int) -> Messages:
        """Return the messages of a turn's request, everything before it included."""
        return _session(api, [one.text for one in self.turns[: turn + 1]], self.replies)

    @property
    def residual(self) -> Tokens:
        """The largest distance between a count and what was asked for."""
        return max(abs(one.tokens - one.target) for one in (*self.turns, self.long))


class HouseholdFitter:
    """Fits the texts of households by a server's counts."""

    def __init__(self, counter: TokenCounter, fitter: Fitter, corpus: Corpus, api: Api) -> None:
        """Remember what texts are made of, and how they are sent."""
        self._counter = counter
        self._fitter = fitter
        self._corpus = corpus
        self._api = api

    async def fit(
        self, cell: Cell, mix: Household, *, text_key: str, nonce: str, near: HouseholdTexts | None = None
    ) -> HouseholdTexts:
        """Return texts of exactly the household's lengths. Raises UsageError for one that a template makes longer."""
        replies: tuple[str, ...] = ()
        turns: list[Fitted] = []
        for turn in range(mix.turns):
            known = near.turns[turn] if near else None
            if turns:
                chars = max(1, round(_REPLY_SHARE * mix.turn_tokens * turns[0].chars_per_token))
                replies = (*replies, self._corpus.window(f"{text_key}/reply/{turn}", chars).strip())
            turns.append(await self._turn(cell, mix, turns, replies, (text_key, nonce), known))

        async def count(text: str) -> Tokens:
            return await self._counter.count(conversation(self._api, "", text), doing=cell.label)

        long = await self._fitter.part(
            _LONG, mix.long_tokens, 0, count, text_key=text_key, nonce=nonce, near=near.long if near else None
        )
        return HouseholdTexts(tuple(turns), replies, long)

    async def _turn(
        self,
        cell: Cell,
        mix: Household,
        before: list[Fitted],
        replies: tuple[str, ...],
        keys: tuple[str, str],
        near: Fitted | None,
    ) -> Fitted:
        turn = len(before)
        texts = [one.text for one in before]

        async def count(text: str) -> Tokens:
            return await self._counter.count(_session(self._api, [*texts, text], replies), doing=cell.label)

        beside = mix.prompt_tokens(turn - 1) if turn else 0
        tokens = mix.prompt_tokens(turn) - beside
        text_key, nonce = keys
        return await self._fitter.part(_name(turn), tokens, beside, count, text_key=text_key, nonce=nonce, near=near)


def _name(turn: int) -> str:
    return f"turn {turn + 1}"


def _session(api: Api, texts: list[str], replies: tuple[str, ...]) -> Messages:
    if api is Api.CHAT:
        return tuple(_chat(texts, replies))
    return (("", _GAP.join(text for _, text in _chat(texts, replies))),)


def _chat(texts: list[str], replies: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for turn, text in enumerate(texts):
        if turn:
            yield "assistant", replies[turn - 1]
        yield "user", text
