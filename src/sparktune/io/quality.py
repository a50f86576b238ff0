"""Ask a server the questions of the battery and the canary, one after the other, in bounded time.

One after the other: in a batch with others the same prompt may be computed in another order of sums, and answered
otherwise. Whether tools reach the model at all is asked first, by counting: a chat template that knows no tools leaves
them out without a word (seen at llama.cpp with SmolLM2), and then no answer says anything of tool calls.
"""

__all__ = ["ask_quality"]

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sparktune.bench.quality.ask import canary_body, reach_bodies, tool_body
from sparktune.bench.quality.battery import BATTERY
from sparktune.bench.quality.canary_prompts import CANARY
from sparktune.bench.quality.garble import garbled
from sparktune.bench.quality.item import ToolItem
from sparktune.bench.quality.judge import judge_reply
from sparktune.bench.quality.reply import Reply, read_reply
from sparktune.errors import EndpointError
from sparktune.io.http.server import Server
from sparktune.io.http.usage import read_usage
from sparktune.io.http.words import error_in, server_words
from sparktune.model.engine import Answer, Engine
from sparktune.model.options import Api, SendOptions
from sparktune.model.quality import CanaryAnswer, ItemResult, ItemState, Quality, QualityPlan
from sparktune.units import Seconds, format_duration

_OK: Final = 200
# What says nothing of the question: who may ask, how often, and whether the server is there.
_OF_NO_QUESTION: Final = frozenset({401, 403, 404, 408, 429, 502, 503, 504})


async def ask_quality(
    server: Server, engine: Engine, options: SendOptions, plan: QualityPlan, say: Callable[[str], None]
) -> Quality:
    """Return every answer; what went wrong is in it, as unknown. Raises UsageError for extra fields of the request."""
    asking = _Asking(server=server, engine=engine, options=options, plan=plan, began_s=time.monotonic())
    unknown = ""
    items: tuple[ItemResult, ...] = ()
    if plan.tools:
        say(f"asking {len(BATTERY)} questions of the tool-call battery")
        unknown = await asking.unreached()
        items = _unasked(unknown) if unknown else tuple([await asking.item(item) for item in BATTERY])
    canary: tuple[CanaryAnswer, ...] = ()
    if plan.canary:
        say(f"asking {len(CANARY)} prompts of the canary")
        canary = tuple([await asking.canary(name) for name in CANARY])
    return Quality(items=items, canary=canary, unknown=unknown, took_s=time.monotonic() - asking.began_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asking:
    server: Server
    engine: Engine
    options: SendOptions
    plan: QualityPlan
    began_s: Seconds

    async def unreached(self) -> str:
        """Return why tools do not reach the model, in the server's words where it has some; "" when they may."""
        with_tools, without = reach_bodies(self.options, self.engine)
        answers = []
        for body in (with_tools, without):
            answer = await self._answer(body)
            if isinstance(answer, str):
                return answer
            if _status(answer) != _OK:
                return _refused(answer)
            answers.append(read_usage(answer.body))
        counts = [usage.prompt_tokens if usage is not None else None for usage in answers]
        if None in counts or counts[0] != counts[1]:
            return ""
        return f"the tools never reach the model: its prompt has {counts[0]} tokens with them and without them"

    async def item(self, item: ToolItem) -> ItemResult:
        """Ask a question of the battery."""
        answer = await self._answer(tool_body(item, self.options, self.engine, self.plan.answer_tokens))
        if isinstance(answer, str):
            return _item_unknown(item, answer)
        if _status(answer) in _OF_NO_QUESTION:
            return _item_unknown(item, _refused(answer))
        if _status(answer) != _OK:
            return judge_reply(item, Reply(error=_refused(answer)))
        return judge_reply(item, read_reply(answer.body, stream=item.stream))

    async def canary(self, name: str) -> CanaryAnswer:
        """Ask a prompt of the canary."""
        answer = await self._answer(canary_body(name, self.options, self.engine))
        if isinstance(answer, str):
            return CanaryAnswer(id=name, text=None, why=answer)
        if _status(answer) != _OK:
            return CanaryAnswer(id=name, text=None, why=_refused(answer))
        reply = read_reply(answer.body, stream=False)
        if reply.error:
            return CanaryAnswer(id=name, text=None, why=reply.error)
        text = f"{reply.reasoning}{reply.text}"
        return CanaryAnswer(id=name, text=text, garbled=garbled(text))

    async def _answer(self, body: bytes) -> Answer | str:
        """Return the answer, or why there is none."""
        left_s = self.began_s + self.plan.limit_s - time.monotonic()
        if left_s <= 0:
            return f"not asked: the {format_duration(self.plan.limit_s)} for all questions were over"
        try:
            return await self.server.answer(Api.CHAT, body, timeout_s=min(left_s, self.plan.answer_s))
        except EndpointError as error:
            return str(error)


def _unasked(why: str) -> tuple[ItemResult, ...]:
    return tuple(_item_unknown(item, why) for item in BATTERY)


def _item_unknown(item: ToolItem, why: str) -> ItemResult:
    return ItemResult(id=item.id, calls=bool(item.wanted), state=ItemState.UNKNOWN, why=why)


def _status(answer: Answer) -> int:
    """Return the status, or what an error means that is answered in the place of a completion."""
    return error_in(answer) or answer.status


def _refused(answer: Answer) -> str:
    words = server_words(answer)
    return f"the server answers {answer.status}: {words}" if words else f"the server answers {answer.status}"
