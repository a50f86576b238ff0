"""The JSON body of a request, built before the wave.

Source: the OpenAI API reference for chat and text completions (``stream_options.include_usage`` asks for the final
counts); what an engine adds to it is in its engine file.
"""

__all__ = ["build_body", "counting_body", "extra_fields", "thinking_fields"]

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from sparktune.errors import UsageError
from sparktune.model.engine import Engine, JsonValue
from sparktune.model.options import Api, SendOptions, Thinking
from sparktune.model.prepared import Messages
from sparktune.units import Tokens

_OURS = frozenset({"max_completion_tokens", "max_tokens", "messages", "model", "n", "prompt", "stream"})


def build_body(
    options: SendOptions, engine: Engine, messages: Messages, output_tokens: Tokens, *, cold: bool, nonce: str
) -> bytes:
    """Return the body of one measured request: streamed, with the engine's own fields, the user's fields last.

    ``cold`` asks the engine not to reuse a cached prefix; ``nonce`` keys its cache where the engine knows a key.
    Raises UsageError when ``options.extra_body`` is no JSON object, or sets what the cell sets.
    """
    fields = _base(options, messages, output_tokens)
    fields |= {"stream": True, "stream_options": {"include_usage": True}}
    fields |= engine.request_extras(options, cold=cold, nonce=nonce, output_tokens=output_tokens)
    fields |= extra_fields(options)
    return msgspec.json.encode(fields)


def counting_body(options: SendOptions, engine: Engine, messages: Messages) -> bytes:
    """Return the body of a request that exists to be counted: one token, not streamed, cache welcome.

    Of the engine's fields only those stay that set thinking, since a chat template reads them.
    """
    fields = _base(options, messages, 1)
    fields |= thinking_fields(options, engine)
    fields |= {key: value for key, value in extra_fields(options).items() if key != "stream_options"}
    return msgspec.json.encode(fields | {"stream": False})


def thinking_fields(options: SendOptions, engine: Engine) -> Mapping[str, JsonValue]:
    """Return those of the engine's own fields that set thinking; none when it is left to the server."""
    asked = engine.body_extras(options, False)
    default = engine.body_extras(replace(options, thinking=Thinking.SERVER), False)
    return {key: value for key, value in asked.items() if key not in default or default[key] != value}


def extra_fields(options: SendOptions) -> Mapping[str, JsonValue]:
    """Return the user's own request fields.

    Raises UsageError when they are no JSON object, or set what the cell sets.
    """
    try:
        fields: JsonValue = msgspec.json.decode(options.extra_body)
        why = "" if isinstance(fields, dict) else f"it is {type(fields).__name__}"
    except (msgspec.DecodeError, RecursionError) as error:
        fields, why = {}, str(error)
    if not isinstance(fields, dict) or why:
        message = f"the extra request fields are no JSON object: {options.extra_body[:80]!r} ({why})"
        raise UsageError(message, hint="write them as one object, for instance '{\"top_p\": 0.9}'")
    taken = sorted(_OURS & fields.keys())
    if taken:
        message = f"the extra request fields set {', '.join(taken)}, which the workload sets"
        raise UsageError(message, hint="use the options for model, prompt and output tokens")
    return fields


def _base(options: SendOptions, messages: Messages, output_tokens: Tokens) -> dict[str, JsonValue]:
    fields: dict[str, JsonValue] = {"model": options.model}
    if options.api is Api.CHAT:
        fields["messages"] = [{"role": role, "content": content} for role, content in messages]
    else:
        fields["prompt"] = "".join(content for _, content in messages)
    fields["max_tokens"] = output_tokens
    if options.temperature is not None:
        fields["temperature"] = options.temperature
    if options.seed is not None:
        fields["seed"] = options.seed
    return fields
