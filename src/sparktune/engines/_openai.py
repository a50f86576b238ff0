"""What the engine files share: reading answers and metrics, and the parts of the OpenAI wire that are the same for all.

Source: the OpenAI API reference (chat and text completions, streaming) and what servers of the same form add to it.
"""

__all__ = [
    "TEXT_FIELDS",
    "VISIBLE_FIELDS",
    "Models",
    "count_tokens",
    "first_tokens",
    "has_metrics",
    "header",
    "highest",
    "labels_of",
    "model_names",
    "number",
    "parse_exposition",
    "per_position",
    "plain_prompt",
    "read_models",
    "read_object",
    "start_identity",
    "stream_options",
    "thinking_kwargs",
    "tokenize_body",
    "total",
    "whole",
]

import math
from collections.abc import Iterable, Mapping

import msgspec

from sparktune.model.counters import FirstTokens
from sparktune.model.engine import Answer, Answers, JsonValue, MetricSample
from sparktune.model.options import SendOptions, Thinking
from sparktune.units import Tokens, whole_number

VISIBLE_FIELDS = frozenset({"content", "refusal", "tool_calls", "function_call"})
"""Delta keys that a client acts on or shows. A tool call is the answer of an agent's turn, so it counts as visible."""

TEXT_FIELDS = VISIBLE_FIELDS | {"reasoning", "reasoning_content"}
"""Delta keys known to carry output. The reasoning key differs by engine and age: vLLM renamed its own in 0.16."""

_OK = 200
_MOST_POSITIONS = 256  # far above any draft depth; a broken label must not make a giant tuple
_LONGEST_NUMBER = 18

Models = tuple[Mapping[str, object], ...]
Messages = tuple[tuple[str, str], ...]


def read_object(answers: Answers, path: str) -> Mapping[str, object] | None:
    """Return the JSON object that ``path`` answered with status 200, or None."""
    answer = answers.get(path)
    if answer is None or answer.status != _OK:
        return None
    return _object(answer.body)


def read_models(answers: Answers) -> Models | None:
    """Return the entries of ``/v1/models``, or None when it is no OpenAI model list."""
    listing = read_object(answers, "/v1/models")
    entries = listing.get("data") if listing else None
    if not isinstance(entries, list):
        return None
    return tuple(entry for entry in entries if isinstance(entry, dict) and isinstance(entry.get("id"), str))


def model_names(models: Models | None) -> tuple[str, ...]:
    """Return the ids of a model list, in the server's order."""
    return tuple(str(entry["id"]) for entry in models or ())


def header(answer: Answer | None, name: str) -> str:
    """Return a header's value whatever the case of its name; ``""`` when it was not sent."""
    headers: Mapping[str, str] = answer.headers if answer else {}
    return next((value for key, value in headers.items() if key.lower() == name.lower()), "")


def whole(source: Mapping[str, object] | None, key: str) -> int | None:
    """Return a positive whole number of an object, or None: servers send null, ``"None"`` or -1 for "not set"."""
    value = source.get(key) if source else None
    if isinstance(value, str) and value.isdecimal() and len(value) <= _LONGEST_NUMBER:
        value = int(value)
    number = whole_number(value)
    return number if number is not None and number > 0 else None


def stream_options(*, continuous: bool) -> dict[str, JsonValue]:
    """Ask for final usage, and for a running count on every chunk where the engine knows that."""
    return {"include_usage": True, "continuous_usage_stats": True} if continuous else {"include_usage": True}


def thinking_kwargs(options: SendOptions) -> dict[str, JsonValue]:
    """Return the chat template's switches for thinking; empty when the server decides.

    Both spellings are sent, since templates read either (``thinking``: DeepSeek, Kimi; ``enable_thinking``: Qwen, GLM,
    Nemotron) and ignore the other.
    """
    if options.thinking is Thinking.SERVER:
        return {}
    on = options.thinking is Thinking.ON
    return {"chat_template_kwargs": {"thinking": on, "enable_thinking": on}}


def plain_prompt(messages: Messages) -> str | None:
    """Return the text when the messages stand for a plain prompt (one, with role ``""``), else None."""
    return messages[0][1] if len(messages) == 1 and not messages[0][0] else None


def tokenize_body(model: str, messages: Messages, options: SendOptions) -> dict[str, JsonValue]:
    """Build the body of a tokenize route in vLLM's form: a prompt, or a chat with its template's switches."""
    prompt = plain_prompt(messages)
    if prompt is not None:
        return {"model": model, "prompt": prompt}
    chat: list[JsonValue] = [{"role": role, "content": content} for role, content in messages]
    body: dict[str, JsonValue] = {"model": model, "messages": chat}
    return body | thinking_kwargs(options)


def count_tokens(body: bytes) -> Tokens | None:
    """Read a token count from any of the known forms: ``count``, ``input_tokens`` or the list ``tokens``."""
    answer = _object(body) or {}
    for key in ("count", "input_tokens"):
        value = whole_number(answer.get(key))
        if value is not None:
            return value
    tokens = answer.get("tokens")
    return len(tokens) if isinstance(tokens, list) else None


def parse_exposition(text: bytes) -> tuple[MetricSample, ...]:
    """Parse a Prometheus exposition; lines that are not part of one are skipped, never an error."""
    lines = text.decode("utf-8", errors="replace")
    try:
        return _samples(lines)
    except Exception:  # noqa: BLE001 # the parser fails in many ways (ValueError, KeyError, IndexError) on bad text
        return tuple(sample for line in lines.splitlines() for sample in _samples_or_none(line))


def has_metrics(answers: Answers, path: str, prefix: str) -> bool:
    """Return whether ``path`` answered an exposition that holds metrics of that prefix."""
    answer = answers.get(path)
    return answer is not None and answer.status == _OK and ("\n" + prefix).encode() in b"\n" + answer.body


def highest(samples: Iterable[MetricSample], *names: str) -> float | None:
    """Return the largest sample of the first of ``names`` that is there: the fullest of several engines."""
    listed = tuple(samples)
    for name in names:
        values = [sample.value for sample in listed if sample.name == name and math.isfinite(sample.value)]
        if values:
            return max(values)
    return None


def total(samples: Iterable[MetricSample], *names: str, **labels: str) -> float | None:
    """Sum all samples of the first of ``names`` that is there, over labels; None when none is.

    Only exact names count, so that ``x_created`` (a Unix time) is never read as ``x``. ``labels`` keeps the samples
    that carry these values or do not carry the label.
    """
    kept = [
        sample for sample in samples if all(sample.labels.get(key, value) == value for key, value in labels.items())
    ]
    for name in names:
        values = [sample.value for sample in kept if sample.name == name and math.isfinite(sample.value)]
        if values:
            return math.fsum(values)
    return None


def first_tokens(samples: Iterable[MetricSample], histogram: str) -> FirstTokens | None:
    """Return the sum and the count of a histogram of times to first tokens; None when either is not told."""
    listed = tuple(samples)
    count, total_s = total(listed, f"{histogram}_count"), total(listed, f"{histogram}_sum")
    return None if count is None or total_s is None else FirstTokens(count=count, total_s=total_s)


def number(value: float | None) -> int | None:
    """Return a count as a whole number."""
    return None if value is None else round(value)


def labels_of(samples: Iterable[MetricSample], name: str) -> tuple[Mapping[str, str], ...]:
    """Return the labels of all samples of a name, for metrics whose message is in the labels (``*_info``)."""
    return tuple(sample.labels for sample in samples if sample.name == name)


def per_position(samples: Iterable[MetricSample], name: str) -> tuple[float, ...] | None:
    """Sum the samples of ``name`` by their label ``position`` from 0; a position in between that is absent is 0."""
    sums: dict[int, float] = {}
    for sample in samples:
        position = sample.labels.get("position", "")
        if sample.name == name and position.isdecimal() and len(position) <= _LONGEST_NUMBER:
            sums[int(position)] = sums.get(int(position), 0.0) + sample.value
    sums = {position: value for position, value in sums.items() if position < _MOST_POSITIONS}
    return tuple(sums.get(index, 0.0) for index in range(max(sums) + 1)) if sums else None


def start_identity(samples: Iterable[MetricSample], created: str) -> str | None:
    """Name the server's life: its start time, else the creation times of one of its counters."""
    listed = tuple(samples)
    for name in ("process_start_time_seconds", created):
        values = sorted(sample.value for sample in listed if sample.name == name)
        if values:
            return " ".join(repr(value) for value in values)
    return None


def _object(body: bytes) -> Mapping[str, object] | None:
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _samples(text: str) -> tuple[MetricSample, ...]:
    # Imported here: only runs against a server with counters need it, and it costs a tenth of a second.
    from prometheus_client.parser import text_string_to_metric_families  # noqa: PLC0415 # see above

    return tuple(
        MetricSample(name=sample.name, labels=dict(sample.labels), value=float(sample.value))
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    )


def _samples_or_none(line: str) -> tuple[MetricSample, ...]:
    try:
        return _samples(line)
    except Exception:  # noqa: BLE001 # as above: one bad line says nothing about the others
        return ()
