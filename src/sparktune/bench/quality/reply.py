"""A chat answer as the battery sees it: text, calls and how it ended, from one JSON object or from a stream.

In a stream the parts of a call are told apart by ``index``; the first part has id and name, further ones append to the
arguments. Source: the OpenAI API reference (chat completion object and chunk); vLLM 0.33 and llama.cpp send it so.
"""

__all__ = ["Call", "Reply", "read_reply"]

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from sparktune.bench.sse import read_events
from sparktune.bench.wire import parse_object

_DONE = b"[DONE]"
_REASONING = ("reasoning_content", "reasoning")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call: the function's name and its arguments as they were sent, which may be no JSON."""

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """``finish`` is what the server says of the end, "" when it says nothing: then the answer was cut off.

    ``error`` is why the body is no answer, "" when it is one.
    """

    text: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    finish: str = ""
    error: str = ""


def read_reply(body: bytes, *, stream: bool) -> Reply:
    """Return what a body of status 200 holds; it raises nothing."""
    return _streamed(body) if stream else _whole(body)


class _Parts:
    """A message in the making."""

    def __init__(self) -> None:
        self.text = self.reasoning = self.finish = ""
        self.calls: dict[object, list[str]] = {}

    def add(self, message: Mapping[str, object]) -> None:
        self.text += _text(message.get("content"))
        self.reasoning += next(filter(None, (_text(message.get(key)) for key in _REASONING)), "")
        calls = message.get("tool_calls")
        for place, part in enumerate(calls if isinstance(calls, list) else ()):
            self._call(part if isinstance(part, dict) else {}, place)

    def _call(self, part: Mapping[str, object], place: int) -> None:
        index = part.get("index")
        made = self.calls.setdefault(index if isinstance(index, int) else place, ["", "", ""])
        function = part.get("function")
        fields = function if isinstance(function, dict) else {}
        made[0] = made[0] or _text(part.get("id"))
        made[1] = made[1] or _text(fields.get("name"))
        arguments = fields.get("arguments")
        # Some servers answer an object in the place of its text.
        made[2] += _encoded(arguments) if isinstance(arguments, dict) else _text(arguments)

    def choice(self, choice: object, key: str) -> None:
        fields = choice if isinstance(choice, dict) else {}
        message = fields.get(key)
        self.add(message if isinstance(message, dict) else {})
        self.finish = _text(fields.get("finish_reason")) or self.finish

    def reply(self) -> Reply:
        calls = tuple(Call(id=made[0], name=made[1], arguments=made[2]) for made in self.calls.values())
        return Reply(text=self.text, reasoning=self.reasoning, calls=calls, finish=self.finish)


def _whole(body: bytes) -> Reply:
    answer = parse_object(body)
    if answer is None or not _choices(answer):
        return Reply(error="the answer is no chat completion")
    parts = _Parts()
    parts.choice(_choices(answer)[0], "message")
    return parts.reply()


def _streamed(body: bytes) -> Reply:
    events = read_events(body, (len(body),), (0,)).payloads if body else []
    parts, seen = _Parts(), False
    for payload in events:
        if payload.strip() == _DONE:
            break
        chunk = parse_object(payload)
        if chunk is None:
            return Reply(error="an event of the stream is no JSON object")
        if chunk.get("error"):
            return Reply(error=f"the stream ends with an error: {_message(chunk['error'])}")
        for choice in [one for one in _choices(chunk) if _is_first(one)][:1]:
            parts.choice(choice, "delta")
            seen = True
    return parts.reply() if seen else Reply(error="the answer is no stream of a chat completion")


def _encoded(value: object) -> str:
    """Return JSON; nothing of what is nested so deep that it cannot be written."""
    try:
        return msgspec.json.encode(value).decode()
    except RecursionError:
        return ""


def _choices(answer: Mapping[str, object]) -> list[object]:
    choices = answer.get("choices")
    return choices if isinstance(choices, list) else []


def _is_first(choice: object) -> bool:
    """Tell whether a choice is the first one, which is all that was asked for; most servers number them."""
    return not isinstance(choice, dict) or choice.get("index") in (None, 0)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _message(error: object) -> str:
    return _text(error.get("message")) if isinstance(error, dict) else _text(error)
