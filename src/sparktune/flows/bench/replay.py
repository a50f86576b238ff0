"""The texts of a replay: prompts of the recorded lengths that begin alike where the recorded ones did."""

__all__ = ["ReplayFitter", "ReplayTexts"]

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sparktune.bench.conversation import conversation
from sparktune.bench.prompts import Fitted
from sparktune.errors import UsageError
from sparktune.flows.bench.counting import CountBy, TokenCounter
from sparktune.flows.bench.fitting import Fitter, part_words
from sparktune.model.cell import Cell
from sparktune.model.options import Api
from sparktune.model.traffic import TrafficRequest
from sparktune.units import Tokens

_PART = "prompt"
_GAP = "\n"
_CUT_STEPS = 5
_LEAST_TAILS: tuple[Tokens, ...] = (1, 8, 24, 64)  # what is new may be shorter than any text that can be sent
_LETTER = "a"


@dataclass(frozen=True, slots=True)
class ReplayText:
    """One prompt: ``cut`` characters of another one's text, and what is its own; without that it repeats the other."""

    request: TrafficRequest
    cut: int
    own: Fitted | None
    text: str = field(repr=False)
    tokens: Tokens


@dataclass(frozen=True, slots=True)
class ReplayTexts:
    """The prompts of all requests, in their order."""

    prompts: tuple[ReplayText, ...]

    def renewed(self, nonce: str) -> "ReplayTexts":
        """Return texts of the same shape behind other nonces; their counts are those of the first ones."""
        found: list[ReplayText] = []
        for one in self.prompts:
            parent = one.request.shared_with
            before = "" if parent is None else found[parent].text[: one.cut]
            own = one.own and one.own.renewed(part_words(f"{nonce}/{one.request.number}", _PART))
            found.append(replace(one, own=own, text=before + _own_text(before, own)))
        return ReplayTexts(tuple(found))

    @property
    def residual(self) -> Tokens:
        """The largest distance between a count and what was recorded."""
        return max(abs(one.tokens - one.request.prompt_tokens) for one in self.prompts)


class ReplayFitter:
    """Fits the prompts of a trace by a server's counts, each once the one that it begins like is known."""

    def __init__(self, counter: TokenCounter, fitter: Fitter, api: Api) -> None:
        """Remember what texts are made of, and how they are sent."""
        self._counter = counter
        self._fitter = fitter
        self._api = api

    async def fit(self, cell: Cell, requests: tuple[TrafficRequest, ...], *, text_key: str, nonce: str) -> ReplayTexts:
        """Return texts of the recorded lengths. Raises UsageError, with the line, for one that cannot be sent."""
        counted = await self._counter.how(conversation(self._api, "", _LETTER)) is not CountBy.USAGE
        around = await self._count(cell, _LETTER) - 1  # what the template adds
        one = _OneFit(self, cell, (text_key, nonce), around, exact=counted)
        tasks: dict[int, asyncio.Task[ReplayText]] = {}
        try:
            for request in requests:
                tasks[request.number] = asyncio.ensure_future(one.fit(request, tasks))
            return ReplayTexts(tuple(await asyncio.gather(*tasks.values())))
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)

    async def part(
        self, cell: Cell, before: str, total: Tokens, tail: Tokens, keys: tuple[str, str], near: Fitted | None
    ) -> Fitted:
        """Fit what comes behind ``before``, so that the whole request has ``total`` tokens."""

        async def count(text: str) -> Tokens:
            return await self._count(cell, before + _gap(before) + text)

        text_key, nonce = keys
        return await self._fitter.part(_PART, tail, total - tail, count, text_key=text_key, nonce=nonce, near=near)

    async def cut(self, cell: Cell, parent: ReplayText, wanted: Tokens, around: Tokens, *, exact: bool) -> int:
        """Return how many characters of a text make ``wanted`` tokens of a request, the template's beginning included.

        About half of what a template adds stands in front of the text, the rest behind it.
        """
        text, most = parent.text, len(parent.text)
        tokens = max(1, parent.tokens - around)
        inside = max(0, wanted - around // 2)
        per_token = most / tokens
        cut = min(most, round(inside * per_token))
        for _ in range(_CUT_STEPS if exact else 0):
            missing = inside + around - await self._count(cell, text[:cut] or _LETTER)
            if abs(missing) <= 1 or (missing > 0 and cut == most):
                break
            cut = min(most, max(0, cut + round(missing * per_token) or (1 if missing > 0 else -1)))
        return cut

    async def _count(self, cell: Cell, text: str) -> Tokens:
        return await self._counter.count(conversation(self._api, "", text), doing=cell.label)


@dataclass(frozen=True, slots=True)
class _OneFit:
    """One pass over the requests of a trace."""

    fitter: ReplayFitter
    cell: Cell
    keys: tuple[str, str]
    around: Tokens
    exact: bool

    async def fit(self, request: TrafficRequest, tasks: Mapping[int, "asyncio.Task[ReplayText]"]) -> ReplayText:
        parent = None if request.shared_with is None else await asyncio.shield(tasks[request.shared_with])
        if parent is not None and request.shared_tokens == request.prompt_tokens == parent.request.prompt_tokens:
            return ReplayText(request, len(parent.text), None, parent.text, parent.tokens)
        failure: UsageError | None = None
        for least in _LEAST_TAILS:
            shared = min(request.shared_tokens, request.prompt_tokens - least)
            cut = 0
            if parent is not None and shared > 0:
                cut = await self.fitter.cut(self.cell, parent, shared, self.around, exact=self.exact)
            try:
                return await self._behind(request, parent, cut, shared if cut else 0)
            except UsageError as error:
                failure = error
                if not cut:
                    break
        message = f"{request.place}: {failure}"
        hint = "the route's chat template takes tokens for itself: --api completions has none"
        raise UsageError(message, hint=hint) from None

    async def _behind(self, request: TrafficRequest, parent: ReplayText | None, cut: int, shared: Tokens) -> ReplayText:
        before = parent.text[:cut] if parent is not None else ""
        text_key, nonce = (f"{key}/{request.number}" for key in self.keys)
        near = parent.own if parent is not None else None
        tail = request.prompt_tokens - shared
        own = await self.fitter.part(self.cell, before, request.prompt_tokens, tail, (text_key, nonce), near)
        return ReplayText(request, cut, own, before + _own_text(before, own), own.tokens)


def _own_text(before: str, own: Fitted | None) -> str:
    return "" if own is None else _gap(before) + own.text


def _gap(before: str) -> str:
    return _GAP if before else ""
