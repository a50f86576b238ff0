"""What one wave says about tokens and instants, asked by metrics and by checks alike.

Source: a server's ``usage`` is the truth for totals, per-chunk counts only tell when tokens came. vLLM leaves
``prompt_tokens_details`` out for a request without a hit, so an absent count of cached tokens is no 0.
"""

__all__ = ["Cached", "cached_tokens", "first_tokens", "held_back", "prefill_span_s", "prompt_tokens", "total_tokens"]

from dataclasses import dataclass

from sparktune.model.timeline import Timeline
from sparktune.model.trial import Request, Trial
from sparktune.units import NS_PER_S, Seconds, Tokens, TokensPerSecond, seconds_between

_MOST_AT_ONCE: Tokens = 8
_LONG_BESIDE = 20  # times the burst
_BEYOND_TOK_S: TokensPerSecond = 2000.0  # what no large model writes on one stream, and every network delivers


@dataclass(frozen=True, slots=True, kw_only=True)
class Cached:
    """Prompt tokens that the completed requests of a wave took from a cache, and which of the sources says so."""

    tokens: float
    source: str


def held_back(request: Request) -> bool:
    """Tell whether an answer of many tokens came in a burst after a long wait: then it was written before it came.

    Something between here and the engine keeps answers until they are whole, or the engine streams only in form. What
    then came when says nothing of reading or writing. One instant is enough: the prompt's step gives one token, a step
    of speculative decoding a few.
    """
    instants, tokens = request.timeline.output_ns, total_tokens(request.timeline) or 0
    if not instants or tokens <= _MOST_AT_ONCE:
        return False
    burst_ns, wait_ns = instants[-1] - instants[0], instants[0] - request.send_start_ns
    return burst_ns == 0 or (wait_ns > _LONG_BESIDE * burst_ns and tokens * NS_PER_S > _BEYOND_TOK_S * burst_ns)


def total_tokens(timeline: Timeline) -> Tokens | None:
    """Return the output tokens of a stream: the server's own count, else the sum of its chunks; None when untold."""
    if timeline.usage.completion_tokens is not None:
        return timeline.usage.completion_tokens
    return sum(timeline.output_tokens) if timeline.output_tokens is not None else None


def first_tokens(timeline: Timeline) -> Tokens | None:
    """Return the tokens of the first output chunk; None when untold."""
    if timeline.output_tokens:
        return timeline.output_tokens[0]
    return timeline.first_tokens


def prompt_tokens(trial: Trial) -> Tokens | None:
    """Return the prompt tokens of the completed requests, as the server counted them; None when one is untold."""
    return _sum_or_none([request.timeline.usage.prompt_tokens for request in trial.completed])


def cached_tokens(trial: Trial) -> Cached | None:
    """Return the cached prompt tokens: from the requests' usage, else from the server's counters, else None.

    Counters cover every request of the wave, so that a failed one (or a stranger's) is in them too.
    """
    told = _sum_or_none([request.timeline.usage.cached_tokens for request in trial.completed])
    if told is not None:
        return Cached(tokens=told, source="usage.cached_tokens")
    delta = trial.counters
    if delta is None or delta.reset:
        return None
    if delta.cached_prompt_tokens is not None:
        return Cached(tokens=delta.cached_prompt_tokens, source="the server's counter of cached prompt tokens")
    if delta.prefix_hits is not None:
        return Cached(tokens=delta.prefix_hits, source="the server's counter of prefix cache hits")
    return None


def prefill_span_s(trial: Trial) -> Seconds | None:
    """Return the time in which at least one stream waited for its first output; None when a stream has no output.

    For streams that were sent at once that is the time from the first send to the last stream's first output.
    """
    waits = [(request.send_start_ns, request.timeline.first_ns) for request in trial.completed]
    known = [(sent, first) for sent, first in waits if first is not None]
    if not known or len(known) < len(waits):
        return None
    total_ns, until_ns = 0, 0
    for sent, first in sorted(known):
        total_ns += max(0, first - max(sent, until_ns))
        until_ns = max(until_ns, first)
    return seconds_between(0, total_ns)


def _sum_or_none(counts: list[Tokens | None]) -> Tokens | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None
