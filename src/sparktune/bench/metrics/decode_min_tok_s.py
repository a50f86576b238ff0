"""Decode floor of a wave: how fast its slowest stream writes, once it has begun.

Formula: min of ``decode_tok_s`` over the streams
Unit: tok/s
Better: higher
Undefined when: one of the wave's streams failed, or one has no decode rate.
Source: our own. A late prefill that interrupts a stream which is already writing shows here, whatever the average says.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import decode_tok_s, over_streams
from sparktune.model.metric import Better, Metric, Scope

METRIC = Metric(
    name="decode_min_tok_s",
    title="decode floor",
    unit="tok/s",
    scope=Scope.WAVE,
    better=Better.HIGHER,
    compute=over_streams(decode_tok_s, min),
    order=196,
)
