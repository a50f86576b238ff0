"""Speculative decoding: tokens that one draft round yields, the one that the model itself adds included.

Formula: 1 + A / D; A are accepted draft tokens, D draft rounds, both as the counters rose during the wave
Unit: tokens
Better: higher
Undefined when: the server has no such counters, was restarted, or drafted nothing (no draft model is loaded).
Source: vLLM's ``vllm:spec_decode_num_accepted_tokens_total`` and ``_num_drafts_total`` ("mean acceptance length"),
    llama.cpp's counters of the same names. Draft-weighted: every round counts the same, long answers weigh more.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import counter_ratio, from_counters
from sparktune.model.counters import CounterDelta
from sparktune.model.metric import Better, Metric, Scope, Unknown


def _acceptance_length(delta: CounterDelta) -> tuple[float, ...] | Unknown:
    accepted = counter_ratio(
        delta.spec_accepted_tokens,
        delta.spec_drafts,
        none="the server has no counters of speculative decoding",
        zero="the server drafted nothing while the wave ran",
    )
    return accepted if isinstance(accepted, Unknown) else (1.0 + accepted,)


METRIC = Metric(
    name="acceptance_length",
    title="acceptance length",
    unit="tokens",
    scope=Scope.SERVER,
    better=Better.HIGHER,
    compute=from_counters(_acceptance_length),
    order=430,
)
