"""What an engine file tells: how a server is recognised, asked, counted and read."""

__all__ = [
    "Answer",
    "Answers",
    "Engine",
    "EngineFacts",
    "JsonValue",
    "MetricSample",
    "TokenizeApi",
]

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from sparktune.model.counters import Counters, FirstTokens, GaugeSample
from sparktune.model.options import SendOptions
from sparktune.units import Nanoseconds, Tokens

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One HTTP answer. ``status`` 0 means that none came; ``error`` then says why."""

    status: int
    body: bytes = b""
    content_type: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    error: str = ""


Answers = Mapping[str, Answer]
"""Answers by path below the server's root, for instance ``/version`` or ``/v1/models``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineFacts:
    """What the server said about itself. None is "it does not tell".

    ``kv_pool_tokens`` is the size of the KV cache; ``slots`` how many sequences can run at once; ``block_tokens`` the
    granularity of its prefix cache. ``how`` says which answer identified the engine.
    """

    name: str
    version: str | None = None
    models: tuple[str, ...] = ()
    max_model_len: Tokens | None = None
    kv_pool_tokens: Tokens | None = None
    block_tokens: Tokens | None = None
    slots: int | None = None
    prefix_caching: bool | None = None
    has_metrics: bool = False
    how: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricSample:
    """One sample of a Prometheus exposition."""

    name: str
    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenizeApi:
    """Routes that count tokens as the engine will count them.

    ``path`` is below the server's root and takes a chat; ``plain_path`` takes a plain prompt, where that is another
    route. ``body`` builds the JSON for messages (role and content pairs) of a chat, or for a plain prompt when there is
    one message with role ``""``; a plain prompt is counted with the special tokens that the engine puts in front of it,
    so a text that continues one counts ``count(text) - count("")``. ``count`` reads the answer, None when it is no
    count; that of a chat includes the chat template, so that it equals ``usage.prompt_tokens``.
    """

    path: str
    body: Callable[[str, tuple[tuple[str, str], ...], SendOptions], dict[str, JsonValue]]
    count: Callable[[bytes], Tokens | None]
    plain_path: str | None = None

    def route(self, messages: tuple[tuple[str, str], ...]) -> str:
        """Return the path to ask for these messages."""
        plain = len(messages) == 1 and not messages[0][0]
        return self.plain_path if plain and self.plain_path else self.path


def _none_counted(_samples: Iterable[MetricSample]) -> FirstTokens | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One engine; the constant ``ENGINE`` of one file in ``engines``.

    ``rank`` orders detection (lower first, the generic server last). ``probe_paths`` are asked with GET, below the
    server's root. ``detect`` returns facts when the answers are this engine's. ``body_extras(options, cold)`` gives
    the request fields by which this engine fixes the output length, avoids or keeps the prefix cache (``cold``),
    sets thinking and tells token counts per chunk; two values in it are placeholders that ``request_extras`` fills per
    request: a ``cache_salt`` of ``""`` by the nonce, a ``min_tokens`` of 0 by the tokens asked for. ``text_fields``
    are the delta keys that carry output text, ``visible_fields`` those that a user sees.
    ``fixes_length`` says whether ``body_extras`` can make the engine send exactly the tokens asked for.
    ``needs_done`` says whether a stream without ``[DONE]`` is cut off even when a finish reason was seen.
    ``counters`` and ``gauges`` read a parsed exposition of ``metrics_path`` (headers are for an identity);
    ``first_tokens`` its times to first tokens, None where the engine counts none.
    """

    name: str
    rank: int
    probe_paths: tuple[str, ...]
    detect: Callable[[Answers], EngineFacts | None]
    body_extras: Callable[[SendOptions, bool], dict[str, JsonValue]]
    text_fields: frozenset[str]
    visible_fields: frozenset[str]
    needs_done: bool
    fixes_length: bool
    metrics_path: str | None
    counters: Callable[[Iterable[MetricSample], Mapping[str, str]], Counters]
    gauges: Callable[[Iterable[MetricSample], Nanoseconds], GaugeSample]
    tokenize: TokenizeApi | None = None
    first_tokens: Callable[[Iterable[MetricSample]], FirstTokens | None] = _none_counted

    def request_extras(
        self, options: SendOptions, *, cold: bool, nonce: str, output_tokens: Tokens
    ) -> dict[str, JsonValue]:
        """Return ``body_extras`` for one request, placeholders filled."""
        fill: dict[str, tuple[JsonValue, JsonValue]] = {"cache_salt": ("", nonce), "min_tokens": (0, output_tokens)}
        extras = self.body_extras(options, cold)
        for key, (placeholder, value) in fill.items():
            if key in extras and extras[key] == placeholder:
                extras[key] = value
        return extras
