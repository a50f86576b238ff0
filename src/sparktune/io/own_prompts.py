"""A file of the user's own prompts, JSON Lines: one object per line, with ``prompt`` or ``messages``."""

__all__ = ["own_prompts_of", "prompts_corpus"]

import hashlib
from pathlib import Path
from typing import Annotated

import msgspec

from sparktune.bench.corpus import Corpus, OwnPrompt
from sparktune.errors import UsageError
from sparktune.io.named_file import open_named
from sparktune.model.mix import OwnPrompts
from sparktune.model.prepared import Messages
from sparktune.units import Bytes

_MOST_BYTES: Bytes = 64 * 1024 * 1024
_MOST_PROMPTS = 5_000
_DIGEST_CHARS = 12
_HINT = 'write one object per line: {"prompt": "..."} or {"messages": [{"role": "user", "content": "..."}]}'
_Text = Annotated[str, msgspec.Meta(min_length=1)]


class _Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    role: _Text
    content: str


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of ``prompt`` and ``messages``; ``output_tokens`` instead of what the cell asks for."""

    prompt: _Text | None = None
    messages: Annotated[tuple[_Message, ...], msgspec.Meta(min_length=1)] | None = None
    output_tokens: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None


def prompts_corpus(path: Path) -> Corpus:
    """Read the prompts of a file; its name carries a digest of what they are.

    Raises UsageError, with the line, for what cannot be read as prompts.
    """
    try:
        with open_named(path) as stream:
            data = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        message = f"the prompts {path} cannot be read: {error.strerror or error}"
        raise UsageError(message, hint=_HINT) from None
    if len(data) > _MOST_BYTES:
        message = f"the prompts {path} have more than {_MOST_BYTES // 1024**2} MiB"
        raise UsageError(message, hint="every wave sends all of them: choose fewer")
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    filled = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    if not filled or len(filled) > _MOST_PROMPTS:
        message = f"the prompts {path} have {len(filled)} lines; one wave sends all of them, 1 to {_MOST_PROMPTS:,}"
        raise UsageError(message, hint=_HINT)
    prompts = tuple(_prompt(f"{path} line {number}", line) for number, line in filled)
    digest = hashlib.sha256(b"\n".join(line.strip() for _, line in filled)).hexdigest()[:_DIGEST_CHARS]
    text = "\n\n".join(content for prompt in prompts for _, content in prompt.messages)
    return Corpus(name=f"prompts:{path.name}:{digest}", text=text, prompts=prompts)


def own_prompts_of(corpus: Corpus, *, nonce: bool) -> OwnPrompts:
    """Return what identifies the prompts of a corpus in a cell. Raises ValueError for a corpus without prompts."""
    _, _, rest = corpus.name.partition(":")
    name, _, digest = rest.rpartition(":")
    return OwnPrompts(name=name, digest=digest, count=len(corpus.prompts), nonce=nonce)


def _prompt(place: str, line: bytes) -> OwnPrompt:
    try:
        read = msgspec.json.decode(line, type=_Line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        message = f"{place}: {str(error).replace('`', '')}"
        raise UsageError(message, hint=_HINT) from None
    if (read.prompt is None) == (read.messages is None):
        message = f"{place}: it has {'neither' if read.prompt is None else 'both of'} prompt and messages"
        raise UsageError(message.replace("neither prompt and", "neither prompt nor"), hint=_HINT)
    messages = _messages(read)
    if not any(content.strip() for _, content in messages):
        message = f"{place}: the prompt is empty"
        raise UsageError(message, hint="remove the line, or write a prompt")
    return OwnPrompt(place=place, messages=messages, output_tokens=read.output_tokens)


def _messages(line: _Line) -> Messages:
    if line.messages is None:
        return (("", line.prompt or ""),)
    return tuple((message.role, message.content) for message in line.messages)
