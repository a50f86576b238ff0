"""A request that is ready to be sent: nothing is left to compute while a trial runs."""

__all__ = ["Messages", "PreparedRequest", "PreparedWave"]

from dataclasses import dataclass, field

from sparktune.model.arrival import Start
from sparktune.units import Tokens

Messages = tuple[tuple[str, str], ...]
"""Role and content pairs of a chat; one pair with role ``""`` for a plain prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRequest:
    """One request of a wave. ``stream`` is its place in the wave, from 0; ``body`` is the JSON, encoded.

    ``prompt_tokens_asked`` are what the server should count for the whole request, context included, or 0 for a prompt
    that is sent as it is and was not counted; ``prompt_tokens_counted`` what its tokenizer counted for this very text,
    or None when only another text of the same shape was counted. ``prompt_sha256`` is the hex digest of the first 256
    characters sent, nonce included.
    """

    stream: int
    prompt_sha256: str
    prompt_tokens_asked: Tokens
    prompt_tokens_counted: Tokens | None
    output_tokens_asked: Tokens
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedWave:
    """The requests of one wave and, for a cell with depth, the requests that load their contexts first.

    ``contexts[i]`` loads what ``requests[i]`` repeats. ``residual`` is the largest distance in tokens between a
    prompt's count and the count asked for: 0 when every prompt is exact. ``counted_by`` says how tokens were counted.
    ``starts`` says when each request is sent; empty: all at once.
    """

    requests: tuple[PreparedRequest, ...]
    contexts: tuple[PreparedRequest, ...] = ()
    residual: Tokens = 0
    counted_by: str = ""
    starts: tuple[Start, ...] = ()
