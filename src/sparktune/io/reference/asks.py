"""The bodies of requests that the reference server reads; it ignores unknown fields, as the engines do."""

__all__ = ["Detokenize", "Generate", "Message", "Tokenize", "prompt_of"]

from collections.abc import Sequence

import msgspec

from sparktune.io.reference.prompts import words

_TEMPLATE_WORD = "<|template|>"


class TextPart(msgspec.Struct, frozen=True):
    """One part of a message's content."""

    type: str
    text: str = ""


class Message(msgspec.Struct, frozen=True):
    """One message of a chat."""

    role: str
    content: str | list[TextPart] | None = None

    @property
    def text(self) -> str:
        """The content as one text."""
        if isinstance(self.content, str):
            return self.content
        return " ".join(part.text for part in self.content or ())


class StreamOptions(msgspec.Struct, frozen=True):
    """What is to be told along with the tokens."""

    include_usage: bool = False
    continuous_usage_stats: bool = False


class Generate(msgspec.Struct, frozen=True):
    """The body of ``/v1/chat/completions`` and ``/v1/completions``."""

    model: str = ""
    messages: list[Message] | None = None
    prompt: str | list[int] | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    n_predict: int | None = None
    stream: bool = False
    stream_options: StreamOptions | None = None
    ignore_eos: bool = False
    min_tokens: int = 0
    return_token_ids: bool = False
    cache_salt: str | None = None
    cache_prompt: bool = True

    @property
    def limit(self) -> int | None:
        """The most tokens that the request wants, by whichever name it said so."""
        named = (self.max_completion_tokens, self.max_tokens, self.n_predict)
        return next((value for value in named if value is not None), None)

    @property
    def options(self) -> StreamOptions:
        """The stream options, with the defaults where there are none."""
        return self.stream_options or StreamOptions()


class Tokenize(msgspec.Struct, frozen=True):
    """The body of ``/tokenize``: a plain prompt or a chat."""

    model: str = ""
    prompt: str | None = None
    messages: list[Message] | None = None


class Detokenize(msgspec.Struct, frozen=True):
    """The body of ``/detokenize``."""

    tokens: list[int]
    model: str = ""


def prompt_of(
    messages: Sequence[Message] | None, prompt: str | list[int] | None, *, overhead: int
) -> tuple[str, ...] | None:
    """Return the tokens of a chat (``overhead`` template tokens first) or of a plain prompt; None without either."""
    if messages is not None:
        template = (_TEMPLATE_WORD,) * overhead
        return template + tuple(word for message in messages for word in words(message.text))
    if isinstance(prompt, str):
        return tuple(words(prompt))
    if prompt is not None:
        return tuple(str(number) for number in prompt)
    return None
