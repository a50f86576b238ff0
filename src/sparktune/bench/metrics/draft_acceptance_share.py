"""Speculative decoding: the share of drafted tokens that the model accepted.

Formula: A / T; A are accepted, T drafted tokens, both as the counters rose during the wave
Unit: share
Better: neither
Undefined when: the server has no such counters, was restarted, or drafted nothing.
Source: vLLM's ``vllm:spec_decode_num_accepted_tokens_total`` and ``_num_draft_tokens_total`` ("draft acceptance
    rate"). Token-weighted, and not comparable between draft lengths: a longer draft lowers it even where it is faster.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import counter_ratio, from_counters
from sparktune.model.counters import CounterDelta
from sparktune.model.metric import Better, Metric, Scope, Unknown


def _acceptance_share(delta: CounterDelta) -> tuple[float, ...] | Unknown:
    share = counter_ratio(
        delta.spec_accepted_tokens,
        delta.spec_draft_tokens,
        none="the server has no counters of speculative decoding",
        zero="the server drafted nothing while the wave ran",
    )
    return share if isinstance(share, Unknown) else (share,)


METRIC = Metric(
    name="draft_acceptance_share",
    title="draft acceptance",
    unit="share",
    scope=Scope.SERVER,
    better=Better.NEITHER,
    compute=from_counters(_acceptance_share),
    order=440,
)
