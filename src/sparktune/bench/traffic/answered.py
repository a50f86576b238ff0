"""What an answer was, as far as its shape goes: when its first output came, its counts, how it ended.

Source: the OpenAI API reference; Anthropic's for ``/v1/messages``; llama.cpp tells ``timings`` in its last chunk also
where no usage was asked for (b11434).
"""

__all__ = ["AnswerReader", "Counts", "told_encoding"]

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from sparktune.bench.sse import data_of
from sparktune.units import Bytes, Nanoseconds, Tokens, whole_count

_MOST_BYTES: Bytes = 16 * 1024 * 1024  # of an answer that is one JSON object, or of one event
_TOO_LARGE = f"an answer had more than {_MOST_BYTES // 1024**2} MiB in one piece"
_ANY_ZLIB = 47  # zlib or gzip, whichever its head says (zlib manual, inflateInit2)
_DEEPEST = 16  # parts within parts: further down nobody writes text
_DELTA = "delta"
_BLOCK_TEXTS = ("text", "thinking", "partial_json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Tokens as the server told them; None where it did not."""

    input_tokens: Tokens | None = None
    output_tokens: Tokens | None = None
    cached_tokens: Tokens | None = None


class AnswerReader:
    """Reads one answer piece by piece; in bounded memory, and raises nothing."""

    def __init__(self) -> None:
        """Begin with nothing read."""
        self.first_ns: Nanoseconds | None = None
        self.counts = Counts()
        self.events = 0
        self.chars = 0
        self.unread = ""
        self.failed = False  # the server says so inside the answer, whatever its status
        self._events = False
        self._objects = 0
        self._inflate: zlib._Decompress | None = None
        self._rest = b""

    def head(self, headers: Mapping[str, str]) -> None:
        """Take the form of the body from its headers, by their lower-case names."""
        self._events = "event-stream" in headers.get("content-type", "")
        encoding = headers.get("content-encoding", "identity").strip().lower()
        if encoding in {"gzip", "x-gzip", "deflate"}:
            self._inflate = zlib.decompressobj(_ANY_ZLIB)
        elif encoding != "identity":
            self.unread = f"an answer was encoded as {told_encoding(encoding)}"

    def feed(self, data: bytes, at_ns: Nanoseconds) -> None:
        """Take a piece of the body."""
        if self.unread:
            return
        if self._inflate is not None:
            try:
                data = self._inflate.decompress(data, _MOST_BYTES + 1)
            except zlib.error:
                self._give_up("an answer says that it is compressed, and is not")
                return
            if self._inflate.unconsumed_tail:
                self._give_up(_TOO_LARGE)
                return
        self._rest += data
        if self._events:
            self._take_events(at_ns)
        if len(self._rest) > _MOST_BYTES:
            self._give_up(_TOO_LARGE)

    def end(self) -> None:
        """The body is over: what is one JSON object is read now."""
        rest, self._rest = self._rest, b""
        if self.unread or not rest:
            return
        if self._events:
            payload = data_of(rest)
            if payload is not None:
                self._event(payload, 0)
            if not self._objects:
                self.unread = "an event stream held no event that can be read"
            return
        value = _object(rest)
        if value is None:
            self.unread = "an answer was no JSON object"
            return
        self.failed = bool(value.get("error"))
        self._count(value)
        self.chars = _message_chars(value)

    def _take_events(self, at_ns: Nanoseconds) -> None:
        if b"\n\n" not in self._rest and b"\r" not in self._rest:
            return
        *events, self._rest = self._rest.replace(b"\r", b"").split(b"\n\n")
        for event in events:
            payload = data_of(event)
            if payload is not None:
                self._event(payload, at_ns)

    def _event(self, payload: bytes, at_ns: Nanoseconds) -> None:
        value = _object(payload)
        if value is None:
            return
        self._objects += 1
        self.failed = self.failed or bool(value.get("error"))
        self._count(value)
        chars = _delta_chars(value)
        if chars:
            self.first_ns = at_ns or self.first_ns if self.first_ns is None else self.first_ns
            self.events += 1
            self.chars += chars

    def _count(self, value: Mapping[str, object]) -> None:
        found = _counts(value)
        if found is not None:
            before = self.counts
            self.counts = Counts(
                input_tokens=before.input_tokens if found.input_tokens is None else found.input_tokens,
                output_tokens=before.output_tokens if found.output_tokens is None else found.output_tokens,
                cached_tokens=before.cached_tokens if found.cached_tokens is None else found.cached_tokens,
            )

    def _give_up(self, why: str) -> None:
        self.unread, self._rest = why, b""


def told_encoding(encoding: str) -> str:
    """Return how an encoding is told: by its name if it is a usual one, for what was sent is not ours to print."""
    return encoding if encoding in {"br", "compress", "zstd"} else "something unusual"


def _object(data: bytes) -> Mapping[str, object] | None:
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _counts(value: Mapping[str, object]) -> Counts | None:
    """Find the counts, wherever a form of answer has them."""
    for place in (value, _mapping(value.get("response")), _mapping(value.get("message"))):
        usage = _mapping(place.get("usage"))
        if usage:
            return _usage(usage)
    timings = _mapping(value.get("timings"))
    if timings:
        new, cached = whole_count(timings.get("prompt_n")), whole_count(timings.get("cache_n"))
        total = None if new is None or cached is None else new + cached
        return Counts(input_tokens=total, output_tokens=whole_count(timings.get("predicted_n")), cached_tokens=cached)
    return None


def _usage(usage: Mapping[str, object]) -> Counts:
    details = _mapping(usage.get("prompt_tokens_details") or usage.get("input_tokens_details"))
    tokens = whole_count(usage.get("prompt_tokens", usage.get("input_tokens")))
    cached = whole_count(details.get("cached_tokens"))
    read = whole_count(usage.get("cache_read_input_tokens"))
    if read is not None:  # Anthropic's form: what was cached is counted beside the rest
        cached = read
        kept = whole_count(usage.get("cache_creation_input_tokens")) or 0
        tokens = None if tokens is None else tokens + read + kept
    output = whole_count(usage.get("completion_tokens", usage.get("output_tokens")))
    return Counts(input_tokens=tokens, output_tokens=output, cached_tokens=cached)


def _delta_chars(event: Mapping[str, object]) -> int:
    """Count the characters of output that an event carries, under whatever key."""
    choices = event.get("choices")
    if isinstance(choices, list):
        chars = 0
        for choice in map(_mapping, choices):
            delta = _mapping(choice.get(_DELTA))
            chars += sum(_chars(part) for name, part in delta.items() if name != "role")
            chars += _chars(choice.get("text"))
        return chars
    kind = event.get("type")
    if not isinstance(kind, str):
        return _chars(event.get("content"))
    if not kind.endswith(_DELTA) or kind == "message_delta":  # Anthropic's says why it stopped, and no output
        return 0
    part = event.get(_DELTA)
    return len(part) if isinstance(part, str) else sum(_chars(_mapping(part).get(name)) for name in _BLOCK_TEXTS)


def _message_chars(value: Mapping[str, object]) -> int:
    choices = value.get("choices")
    if not isinstance(choices, list):
        return _chars(value.get("content")) + _chars(value.get("output"))
    found = 0
    for choice in map(_mapping, choices):
        message = _mapping(choice.get("message"))
        found += sum(_chars(part) for name, part in message.items() if name != "role") + _chars(choice.get("text"))
    return found


def _chars(part: object, depth: int = 0) -> int:
    """Count characters of the texts within; tool calls and blocks nest them."""
    if isinstance(part, str):
        return len(part)
    if depth > _DEEPEST:
        return 0
    if isinstance(part, Mapping):
        names = ("text", "content", "arguments", "function", "name", "input")
        return sum(_chars(part.get(name), depth + 1) for name in names)
    return sum(_chars(one, depth + 1) for one in part) if isinstance(part, list) else 0


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}
