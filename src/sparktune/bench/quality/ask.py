"""The bodies of the requests by which the battery and the canary are asked.

Answers are greedy (temperature 0). Source: the OpenAI API reference for chat completions (``tools``, ``tool_choice``).
"""

__all__ = ["canary_body", "reach_bodies", "tool_body"]

from typing import Any, Final

import msgspec

from sparktune.bench.body import extra_fields, thinking_fields
from sparktune.bench.quality.canary_prompts import CANARY, CANARY_TOKENS
from sparktune.bench.quality.item import ToolItem
from sparktune.bench.quality.tools import tool_fields
from sparktune.model.engine import Engine
from sparktune.model.options import SendOptions
from sparktune.units import Tokens

_PLAIN: Final = "What is the weather in Oslo now?"
_PLAIN_TOOL: Final = "get_weather"


def tool_body(item: ToolItem, options: SendOptions, engine: Engine, answer_tokens: Tokens) -> bytes:
    """Return the body for a question of the battery. Raises UsageError as ``extra_fields`` does."""
    fields = _fields(options, engine, [{"role": "user", "content": item.ask}, *item.earlier], answer_tokens)
    offered = {"tools": [tool_fields(name) for name in item.tools], "tool_choice": item.choice}
    return msgspec.json.encode({**fields, **offered, "stream": item.stream})


def canary_body(name: str, options: SendOptions, engine: Engine) -> bytes:
    """Return the body for a prompt of the canary. Raises UsageError as ``extra_fields`` does."""
    fields = _fields(options, engine, [{"role": "user", "content": CANARY[name]}], CANARY_TOKENS)
    return msgspec.json.encode({**fields, "stream": False})


def reach_bodies(options: SendOptions, engine: Engine) -> tuple[bytes, bytes]:
    """Return two bodies of one token that differ in the tools alone: their prompts are counted.

    Raises UsageError as ``extra_fields`` does.
    """
    fields = {**_fields(options, engine, [{"role": "user", "content": _PLAIN}], 1), "stream": False}
    offered = {"tools": [tool_fields(_PLAIN_TOOL)], "tool_choice": "auto"}
    return msgspec.json.encode({**fields, **offered}), msgspec.json.encode(fields)


def _fields(options: SendOptions, engine: Engine, messages: list[Any], tokens: Tokens) -> dict[str, Any]:
    """Return what all have in common; what the user wants in every request goes in, but greedy it stays."""
    wanted = {key: value for key, value in extra_fields(options).items() if key != "stream_options"}
    return {
        "model": options.model,
        "messages": messages,
        "max_tokens": tokens,
        **thinking_fields(options, engine),
        **wanted,
        "temperature": 0,
    }
