"""What is read from answers that are not streamed: counts, and whether a list is a list of models.

Source: the OpenAI API reference (``usage``, ``GET /v1/models``).
"""

__all__ = ["encode", "is_model_list", "read_usage"]

import msgspec

from sparktune.model.engine import JsonValue
from sparktune.model.timeline import Usage
from sparktune.units import Tokens


class _Details(msgspec.Struct):
    cached_tokens: Tokens | None = None


class _Counts(msgspec.Struct):
    prompt_tokens: Tokens | None = None
    completion_tokens: Tokens | None = None
    prompt_tokens_details: _Details | None = None


class _Completion(msgspec.Struct):
    choices: list[msgspec.Raw]
    usage: _Counts | None = None


class _Listing(msgspec.Struct):
    data: list[dict[str, msgspec.Raw]]


def read_usage(body: bytes) -> Usage | None:
    """Return the counts of a completion, each None where the server does not tell; None when it is no completion."""
    try:
        counts = msgspec.json.decode(body, type=_Completion).usage or _Counts()
    except (msgspec.DecodeError, RecursionError):
        return None
    details = counts.prompt_tokens_details or _Details()
    return Usage(
        prompt_tokens=counts.prompt_tokens,
        completion_tokens=counts.completion_tokens,
        cached_tokens=details.cached_tokens,
    )


def is_model_list(body: bytes) -> bool:
    """Say whether this is OpenAI's list of models, which may be empty."""
    try:
        msgspec.json.decode(body, type=_Listing)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def encode(fields: dict[str, JsonValue]) -> bytes:
    """Return JSON."""
    return msgspec.json.encode(fields)
