"""The server's own final counts and durations of one request.

Sources: llama.cpp b11434 (``timings``: milliseconds; ``prompt_n`` leaves cached tokens out), vLLM 0.33 (``metrics`` on
the usage chunk, with ``--enable-per-request-metrics``; its time to first token starts when the request is scheduled),
SGLang 0.5.23 (``reasoning_tokens`` beside the other counts).
"""

__all__ = ["read_timings", "read_usage"]

from collections.abc import Mapping

from sparktune.bench.stream import Stream
from sparktune.bench.wire import TimingsWire
from sparktune.model.timeline import ServerTimings, Usage
from sparktune.units import Seconds, Tokens, whole_count

_MS_PER_S = 1000
_MOST_MS = 1e12  # no request takes thirty years: what is above is no duration


def read_usage(stream: Stream) -> Usage:
    """Return the final usage; where there is none, the counts of llama.cpp's timings, which it always sends."""
    wire = stream.usage
    if wire is None:
        return _usage_from(stream.timings) if stream.timings else Usage()
    reasoning = _whole(wire.completion_tokens_details, "reasoning_tokens")
    return Usage(
        prompt_tokens=whole_count(wire.prompt_tokens),
        completion_tokens=wire.completion_tokens,
        cached_tokens=_whole(wire.prompt_tokens_details, "cached_tokens"),
        reasoning_tokens=whole_count(wire.reasoning_tokens) if reasoning is None else reasoning,
    )


def read_timings(stream: Stream) -> ServerTimings | None:
    """Return the durations that the engine measured itself, or None when it sent none."""
    timings = stream.timings
    if timings is not None:
        return ServerTimings(
            prompt_s=_seconds(timings.prompt_ms),
            predicted_s=_seconds(timings.predicted_ms),
            draft_tokens=whole_count(timings.draft_n),
            accepted_tokens=whole_count(timings.draft_n_accepted),
        )
    if not isinstance(stream.metrics, Mapping):
        return None
    metrics: Mapping[str, object] = stream.metrics
    drafts = metrics.get("speculative_decoding")
    return ServerTimings(
        prompt_s=_seconds(metrics.get("time_to_first_token_ms")),
        predicted_s=_seconds(metrics.get("generation_time_ms")),
        queue_s=_seconds(metrics.get("queue_time_ms")),
        draft_tokens=_whole(drafts, "num_draft_tokens"),
        accepted_tokens=_whole(drafts, "num_accepted_draft_tokens"),
    )


def _usage_from(timings: TimingsWire) -> Usage:
    computed, cached = whole_count(timings.prompt_n), whole_count(timings.cache_n)
    return Usage(
        prompt_tokens=None if computed is None or cached is None else computed + cached,
        completion_tokens=timings.predicted_n,
        cached_tokens=cached,
    )


def _seconds(milliseconds: object) -> Seconds | None:
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float) or not 0 <= milliseconds <= _MOST_MS:
        return None
    return milliseconds / _MS_PER_S


def _whole(source: object, key: str) -> Tokens | None:
    return whole_count(source.get(key)) if isinstance(source, Mapping) else None
