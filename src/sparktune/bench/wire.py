"""The chunks of an OpenAI stream as they are on the wire.

Source: the OpenAI API reference; vLLM 0.33 (``token_ids``, continuous ``usage``, ``metrics``), llama.cpp b11434
(``timings``), SGLang 0.5.23 (``reasoning_tokens``). The wire is not ours: unknown keys are allowed, and a delta stays a
mapping, so that text under a key that nobody knows is still seen.
"""

__all__ = ["Choice", "Chunk", "TimingsWire", "UsageWire", "error_text", "one_line", "parse_chunk", "parse_object"]

import re
from collections.abc import Mapping
from typing import Annotated

import msgspec

from sparktune.units import whole_number

_LONGEST_DETAIL = 200
_DEEPEST_ERROR = 3
_ERROR_KEYS = ("error", "message", "detail")

_HALF_PAIR = re.compile(
    r"\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}", re.IGNORECASE
)
_Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]  # what JSON can carry exactly


class UsageWire(msgspec.Struct, gc=False):
    """Token counts, final or running."""

    prompt_tokens: int | None = None
    completion_tokens: _Count | None = None
    reasoning_tokens: int | None = None
    prompt_tokens_details: object = None
    completion_tokens_details: object = None


class TimingsWire(msgspec.Struct, gc=False):
    """llama.cpp's own measurement. Its rates are not read: builds disagree on whether they divide by n or n - 1."""

    cache_n: int | None = None
    prompt_n: int | None = None
    prompt_ms: float | None = None
    predicted_n: _Count | None = None
    predicted_ms: float | None = None
    draft_n: int | None = None
    draft_n_accepted: int | None = None


class Choice(msgspec.Struct, gc=False):
    """One choice: ``delta`` on the chat route, ``text`` on the completions route."""

    delta: dict[str, object] | None = None
    text: str | None = None
    finish_reason: str | None = None
    token_ids: list[int] | None = None


class Chunk(msgspec.Struct, gc=False):
    """One event."""

    choices: list[Choice] | None = None
    usage: UsageWire | None = None
    timings: TimingsWire | None = None
    error: object = None
    system_fingerprint: object = None
    model: object = None
    metrics: object = None


_DECODER = msgspec.json.Decoder(Chunk)


def parse_chunk(payload: bytes) -> Chunk | str:
    """Decode one event's data, or say in one line why it is not a chunk."""
    try:
        return _DECODER.decode(payload)
    except msgspec.ValidationError as error:
        return _with_whole_counts(payload) or f"a chunk is not in the OpenAI form: {error}: {one_line(payload)}"
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        # Servers that stream bytes as tokens, or UTF-16 as theirs, may cut a character in two.
        return _DECODER.decode(_HALF_PAIR.sub(r"\\ufffd", payload.decode("utf-8", errors="replace")))
    except (msgspec.DecodeError, RecursionError):
        return f"data is not JSON: {one_line(payload)}"


def _with_whole_counts(payload: bytes) -> Chunk | None:
    """Decode a chunk whose counts are written as ``64.0``, which is the same number; None for other faults."""
    found = dict(parse_object(payload) or {})
    for key in ("usage", "timings"):
        part = found.get(key)
        if isinstance(part, Mapping):
            found[key] = {name: _as_count(value) for name, value in part.items()}
    try:
        return msgspec.convert(found, Chunk) if found else None
    except msgspec.ValidationError:
        return None


def _as_count(value: object) -> object:
    whole = whole_number(value)
    return value if whole is None else whole


def parse_object(body: bytes) -> Mapping[str, object] | None:
    """Return a JSON object, or None."""
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def error_text(value: object) -> str:
    """Return the server's own words out of any of the forms that errors have, in one line.

    OpenAI, vLLM and llama.cpp nest ``{"error": {"message": ...}}``; others send a bare string, ``message`` at the top,
    or FastAPI's ``detail``.
    """
    for _ in range(_DEEPEST_ERROR):
        if isinstance(value, Mapping):
            value = next((value[key] for key in _ERROR_KEYS if value.get(key)), value)
    try:
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    except RecursionError:
        text = "an error that is nested too deep to be shown"
    return one_line(text)


def one_line(text: str | bytes) -> str:
    """Collapse white space and shorten, so that a message fits a line."""
    if isinstance(text, bytes):
        text = text[: 8 * _LONGEST_DETAIL].decode("utf-8", errors="replace")
    line = " ".join("".join(char if char.isprintable() else " " for char in text[: 8 * _LONGEST_DETAIL]).split())
    return line if len(line) <= _LONGEST_DETAIL else line[: _LONGEST_DETAIL - 1] + "…"
