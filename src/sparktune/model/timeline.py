"""What a recording says once it is decoded: the token timeline of one request."""

__all__ = ["CountMethod", "Failure", "FailureType", "ServerTimings", "Timeline", "Usage"]

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from sparktune.units import Nanoseconds, Seconds, Tokens


class FailureType(Enum):
    """How a request failed; the key under which failures are counted."""

    CONNECT = "connect"
    HTTP_STATUS = "http_status"
    NOT_SSE = "not_sse"
    STREAM_ERROR = "stream_error"
    TRUNCATED = "truncated"
    STALL = "stall"
    TIMEOUT = "timeout"
    WRONG_TOKEN_COUNT = "wrong_token_count"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a request does not count. ``detail`` is one line: the server's or the system's own words, shortened."""

    type: FailureType
    detail: str = ""
    status: int | None = None


class CountMethod(Enum):
    """How the tokens of each output chunk are known, best first."""

    TOKEN_IDS = "token_ids"  # the server listed the ids of every chunk
    RUNNING_USAGE = "running_usage"  # usage.completion_tokens on every chunk
    TIMINGS = "timings"  # llama.cpp's timings.predicted_n on every chunk
    ONE_PER_CHUNK = "one_per_chunk"  # as many output chunks as usage counts tokens
    TOKENIZED_FIRST = "tokenized_first"  # total from usage; first chunk's text counted by the server's tokenizer
    TOTAL_ONLY = "total_only"  # only the total is known: no per-stream rate can be given
    NONE = "none"  # the server told no count at all


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The server's own final counts; None where it did not tell."""

    prompt_tokens: Tokens | None = None
    completion_tokens: Tokens | None = None
    cached_tokens: Tokens | None = None
    reasoning_tokens: Tokens | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTimings:
    """The engine's own per-request measurement, where it sends one; None where it did not tell."""

    prompt_s: Seconds | None = None
    predicted_s: Seconds | None = None
    queue_s: Seconds | None = None
    draft_tokens: Tokens | None = None
    accepted_tokens: Tokens | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Output chunks in order of arrival.

    ``output_ns[i]`` is the arrival of output chunk i (the read that completed it), monotonic nanoseconds; chunks that
    only carry a role, progress, usage or keep-alive are not in it. ``output_tokens[i]`` is how many tokens that chunk
    carried, exactly, or the whole sequence is None when the server does not say. ``first_tokens`` is the count of the
    first output chunk alone, which may be known when the others are not. ``visible_ns`` is the first chunk with
    content that a user sees (not reasoning). ``unknown_fields`` names delta keys that carried text but that no engine
    file knows. ``model`` is the name that the server gave to what answered. ``first_text`` is the text of the first
    output chunk. ``notes`` are sentences about a stream that is whole but contradicts itself, for instance counts that
    disagree.
    """

    status: int | None = None
    output_ns: Sequence[Nanoseconds] = ()
    output_tokens: Sequence[Tokens] | None = None
    first_tokens: Tokens | None = None
    count_method: CountMethod = CountMethod.NONE
    visible_ns: Nanoseconds | None = None
    usage: Usage = field(default_factory=Usage)
    timings: ServerTimings | None = None
    finish_reason: str | None = None
    failure: Failure | None = None
    unknown_fields: tuple[str, ...] = ()
    fingerprint: str | None = None
    model: str | None = None
    first_text: str = ""
    notes: tuple[str, ...] = ()

    @property
    def first_ns(self) -> Nanoseconds | None:
        """Arrival of the first output of any kind (content, reasoning, tool call, or a token that shows nothing)."""
        return self.output_ns[0] if self.output_ns else None

    @property
    def last_ns(self) -> Nanoseconds | None:
        """Arrival of the last output chunk; usage and ``[DONE]`` come later and do not count."""
        return self.output_ns[-1] if self.output_ns else None
