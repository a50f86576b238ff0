"""The share of prompt tokens that the server found in its prefix cache while the wave ran, by its own counters.

Formula: prefix cache hits / prefix cache queries (both in tokens); where these are missing or nothing was looked up,
    cached prompt tokens / prompt tokens
Unit: share
Better: neither
Undefined when: the server has neither pair of counters, was restarted, or saw no prompt token.
Source: vLLM's ``vllm:prefix_cache_hits_total`` and ``_queries_total``, ``vllm:prompt_tokens_cached_total``; SGLang's
    ``cached_tokens_total``; llama.cpp's ``prompt_tokens_cached_total``. Traffic of others is in these counters too.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import counter_ratio, from_counters
from sparktune.model.counters import CounterDelta
from sparktune.model.metric import Better, Metric, Scope, Unknown


def _hit_share(delta: CounterDelta) -> tuple[float, ...] | Unknown:
    none = "the server has no counters of its prefix cache"
    share = counter_ratio(delta.prefix_hits, delta.prefix_queries, none=none, zero=none)
    if isinstance(share, Unknown):
        zero = "the server saw no prompt token while the wave ran"
        share = counter_ratio(delta.cached_prompt_tokens, delta.prompt_tokens, none=none, zero=zero)
    return share if isinstance(share, Unknown) else (share,)


METRIC = Metric(
    name="prefix_hit_share",
    title="prefix hits",
    unit="share",
    scope=Scope.SERVER,
    better=Better.NEITHER,
    compute=from_counters(_hit_share),
    order=400,
)
