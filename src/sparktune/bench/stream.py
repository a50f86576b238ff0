"""Gather what the chunks of one stream say, chunk by chunk, before anything is decided.

Source: the streams of vLLM 0.33, llama.cpp b11434 and SGLang 0.5.23. A chunk is output when a delta carries text or a
tool call, or when it shows nothing but brings tokens (ids, or a running count that rose): a parser held the text back,
or the token has none. Role, progress, usage and keep-alive chunks are none of these.
"""

__all__ = ["Row", "Stream", "gather"]

from dataclasses import dataclass, field

from sparktune.bench.sse import Events
from sparktune.bench.wire import Choice, Chunk, TimingsWire, UsageWire, error_text, parse_chunk, parse_object
from sparktune.model.engine import Engine
from sparktune.units import Nanoseconds, Tokens

_DONE = b"[DONE]"
_UNTOLD = -1
_DEEPEST = 16  # parts within parts: further down nobody writes text
_TEXT_KEYS = ("function", "name", "arguments", "text", "thinking", "content")

Row = tuple[Nanoseconds, str | None, Tokens, Tokens]
"""Arrival; text, None when the chunk shows nothing; number of token ids; total so far. The last two: -1 for not told.

A plain tuple, since there is one for every chunk of a run.
"""


@dataclass(slots=True)
class Stream:
    """``rows`` has one entry per chunk that may be output, in order of arrival.

    ``highest`` is the largest total so far; ``counted`` is how many chunks with a choice told a total, ``timed``
    whether llama.cpp's timings told it. ``finish_ns`` is the arrival of the finish reason, and ``finish_row`` the place
    of its chunk in the rows, if it is in them.
    """

    rows: list[Row] = field(default_factory=list)
    highest: Tokens = 0
    counted: int = 0
    timed: bool = False
    visible_ns: Nanoseconds | None = None
    finish_ns: Nanoseconds | None = None
    finish_row: int | None = None
    finish_reason: str | None = None
    usage: UsageWire | None = None
    timings: TimingsWire | None = None
    metrics: object = None
    fingerprint: str | None = None
    model: str | None = None
    unknown_fields: dict[str, None] = field(default_factory=dict)
    done: bool = False
    error: str = ""


def gather(events: Events, engine: Engine) -> Stream:
    """Read all chunks up to ``[DONE]`` or the first error; nothing is raised, ``error`` says what went wrong."""
    stream = Stream()
    for payload, at_ns in zip(events.payloads, events.at_ns, strict=True):
        if payload == _DONE:
            stream.done = True
            break
        chunk = parse_chunk(payload)
        if isinstance(chunk, str):
            stream.error = chunk
            break
        running = _totals(stream, chunk)
        if chunk.choices:
            _choices(stream, chunk.choices, at_ns, running, engine)
            if chunk.error:
                stream.error = error_text(chunk.error)
        else:
            _without_choices(stream, chunk, payload)
        if stream.error:
            break
    return stream


def _totals(stream: Stream, chunk: Chunk) -> Tokens:
    """Keep the newest usage and timings; return the total so far that this chunk tells, -1 for none."""
    running = _UNTOLD
    if chunk.usage is not None:
        stream.usage = chunk.usage
        if chunk.usage.completion_tokens is not None:
            running = chunk.usage.completion_tokens
    if chunk.timings is not None:
        stream.timings = chunk.timings
        if running == _UNTOLD and chunk.timings.predicted_n is not None:
            running = chunk.timings.predicted_n
            stream.timed = stream.timed or bool(chunk.choices)
    if stream.fingerprint is None and isinstance(chunk.system_fingerprint, str):
        stream.fingerprint = chunk.system_fingerprint
    if stream.model is None and isinstance(chunk.model, str):
        stream.model = chunk.model
    return running


def _choices(stream: Stream, choices: list[Choice], at_ns: Nanoseconds, running: Tokens, engine: Engine) -> None:
    """Add a row when the chunk may be output. A request asks for one choice; more would be added up."""
    text: str | None = None
    ids, finishes = _UNTOLD, False
    for choice in choices:
        # The completions route has no delta: its text is what a user sees, as content is.
        delta = choice.delta or {"content": choice.text}
        said = _delta_text(stream, delta, at_ns, engine)
        if said is not None:
            text = said if text is None else text + said
        if choice.token_ids is not None:
            ids = max(ids, 0) + len(choice.token_ids)
        if choice.finish_reason is not None:
            finishes = True
            stream.finish_reason, stream.finish_ns = choice.finish_reason, at_ns
    if running != _UNTOLD:
        stream.counted += 1
    if text is not None or ids > 0 or running > stream.highest:
        if finishes:
            stream.finish_row = len(stream.rows)
        stream.rows.append((at_ns, text, ids, running))
        stream.highest = max(stream.highest, running)


def _delta_text(stream: Stream, delta: dict[str, object], at_ns: Nanoseconds, engine: Engine) -> str | None:
    """Return the text of a delta, None when it carries no output; notes the first visible text and unknown keys."""
    text: str | None = None
    for key, value in delta.items():
        if not value or key == "role":
            continue
        if key not in engine.text_fields:
            if not isinstance(value, str):
                continue
            stream.unknown_fields[key] = None
        elif stream.visible_ns is None and key in engine.visible_fields:
            stream.visible_ns = at_ns
        added = value if isinstance(value, str) else _nested_text(value)
        if text is None:
            text = added
        elif added != text:  # vLLM 0.11 to 0.16 sent the same text as reasoning and as reasoning_content
            text += added
    return text


def _without_choices(stream: Stream, chunk: Chunk, payload: bytes) -> None:
    """Read the chunk that ends a stream: final usage, or an error in place of it."""
    if chunk.metrics is not None:
        stream.metrics = chunk.metrics
    if chunk.error is not None:
        stream.error = error_text(chunk.error)
    elif chunk.usage is None and chunk.timings is None:
        found = parse_object(payload) or {}
        if found.get("object") == "error" or found.get("detail"):
            stream.error = error_text(found)


def _nested_text(value: object, depth: int = 0) -> str:
    """Return the text of a tool call or of structured content, for its length."""
    if isinstance(value, str):
        return value
    if depth > _DEEPEST:
        return ""
    if isinstance(value, list):
        return "".join(_nested_text(item, depth + 1) for item in value)
    if isinstance(value, dict):
        return "".join(_nested_text(value[key], depth + 1) for key in _TEXT_KEYS if key in value)
    return ""
