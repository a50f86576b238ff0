"""Speculative decoding: how often the draft token at each position is accepted, positions from 0.

Formula: P_i / D for position i; P_i are draft tokens accepted at position i, D all draft rounds, as the counters rose
    during the wave. Not conditional: a position counts as refused when an earlier one was.
Unit: share
Better: higher
Undefined when: the server has no counters per position (SGLang has none), was restarted, or drafted nothing.
Source: vLLM's ``vllm:spec_decode_num_accepted_tokens_per_pos_total`` and ``_num_drafts_total``. The sum over positions
    is the acceptance length less 1, and with a chain drafter the first k' entries predict a draft of k' tokens.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import from_counters
from sparktune.model.counters import CounterDelta
from sparktune.model.metric import Better, Metric, Scope, Unknown


def _per_position(delta: CounterDelta) -> tuple[float, ...] | Unknown:
    accepted, drafts = delta.spec_accepted_per_position, delta.spec_drafts
    if accepted is None or drafts is None:
        return Unknown("the server has no counters of speculative decoding per draft position")
    if drafts <= 0:
        return Unknown("the server drafted nothing while the wave ran")
    return tuple(count / drafts for count in accepted)


METRIC = Metric(
    name="acceptance_per_position",
    title="acceptance by position",
    unit="share",
    scope=Scope.POSITION,
    better=Better.HIGHER,
    compute=from_counters(_per_position),
    order=450,
)
