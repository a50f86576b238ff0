"""What a request asks for, as far as its shape goes: pieces of the prompt in the order in which a server puts them.

Source: the OpenAI API reference (chat completions, completions, responses) and Anthropic's for ``/v1/messages``; chat
templates of the models that are usual here put tools in front of all messages.
"""

__all__ = ["Asked", "Piece", "read_asked", "route_of"]

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from sparktune.units import whole_count

_ROUTES = ("chat/completions", "completions", "responses", "messages", "completion", "generate")
"""Paths, by their ends, whose requests make a model write; all others are passed on and only counted."""

_PART_CHARS = 4000  # what a picture counts as, about 1,000 tokens: its true cost depends on the model
_TOKEN_CHARS = 4
_SESSION_KEYS = ("session_id", "prompt_cache_key", "conversation", "user")
_LIMITS = ("max_completion_tokens", "max_tokens", "max_output_tokens", "n_predict")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a prompt: the text that identifies it, and as how many characters it counts."""

    text: str = field(repr=False)
    chars: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The shape of one request. ``tokens`` is known only where the client sent token ids instead of text."""

    route: str
    pieces: tuple[Piece, ...] = field(repr=False)
    model: str = ""
    stream: bool = False
    tools: int = 0
    session: str = field(default="", repr=False)
    max_tokens: int | None = None
    other_parts: int = 0
    tokens: int | None = None

    @property
    def chars(self) -> int:
        """Characters of the whole prompt, names of roles included."""
        return sum(piece.chars for piece in self.pieces)


def route_of(method: str, target: str) -> str | None:
    """Return which route of ``_ROUTES`` a request line names, or None."""
    path = target.partition("?")[0].rstrip("/")
    if method != "POST":
        return None
    return next((route for route in _ROUTES if path.endswith(f"/{route}")), None)


def read_asked(route: str, body: bytes) -> Asked | str:
    """Read a body, or say in a few words why it has no shape. Raises nothing."""
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "its body is no JSON"
    if not isinstance(value, dict):
        return "its body is no JSON object"
    try:
        pieces, tokens, others = _pieces(value)
    except RecursionError:
        return "its body is nested too deep"
    tools = value.get("tools")
    return Asked(
        route=route,
        pieces=pieces,
        model=_text(value.get("model"))[:200],
        stream=value.get("stream") is True,
        tools=len(tools) if isinstance(tools, list) else 0,
        session=_session(value),
        max_tokens=next((found for name in _LIMITS if (found := whole_count(value.get(name))) is not None), None),
        other_parts=others,
        tokens=tokens,
    )


def _pieces(body: Mapping[str, object]) -> tuple[tuple[Piece, ...], int | None, int]:
    """Return the pieces of a prompt, its tokens where they are told, and how many pieces are no text."""
    prompt = body.get("prompt", body.get("text"))
    if isinstance(prompt, list) and prompt and all(type(one) is int for one in prompt):
        text = ",".join(map(str, prompt))
        return (Piece(text, _TOKEN_CHARS * len(prompt)),), len(prompt), 0
    if isinstance(prompt, list):
        prompt = "".join(one for one in prompt if isinstance(one, str))
    if isinstance(prompt, str) and prompt:
        return (Piece(prompt, len(prompt)),), None, 0
    found: list[Piece] = []
    if body.get("tools"):
        found.append(_plain(msgspec.json.encode(body["tools"]).decode()))
    for name in ("system", "instructions"):
        if body.get(name):
            found.extend(_message({"role": "system", "content": body[name]}))
    listed = body.get("messages", body.get("input"))
    if isinstance(listed, str):
        listed = [{"role": "user", "content": listed}]
    for message in listed if isinstance(listed, list) else ():
        found.extend(_message(message))
    return tuple(found), None, sum(piece.chars != len(piece.text) for piece in found)


def _message(message: object) -> Iterator[Piece]:
    if not isinstance(message, Mapping):
        return
    yield _plain(f"<|{_text(message.get('role'))}|>\n")
    content = message.get("content")
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            yield _plain(part)
        elif isinstance(part, Mapping):
            text = part.get("text")
            other = msgspec.json.encode(part).decode()
            yield _plain(text) if isinstance(text, str) else Piece(other, _PART_CHARS)
    for name in ("reasoning_content", "tool_calls", "arguments", "output"):
        if message.get(name):
            yield _plain(msgspec.json.encode(message[name]).decode())


def _plain(text: str) -> Piece:
    return Piece(text, len(text))


def _session(body: Mapping[str, object]) -> str:
    metadata = body.get("metadata")
    places = (body, metadata if isinstance(metadata, Mapping) else {})
    found = [f"{name}={value}" for place in places for name in _SESSION_KEYS if (value := _text(place.get(name)))]
    return found[0] if found else ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
