"""Fairness of a wave: Jain's index of the streams' decode rates.

Formula: (sum x)^2 / (c * sum x^2) over ``decode_tok_s`` of the c streams; 1 is equal, 1/c is one stream alone.
Unit: 1
Better: higher
Undefined when: the wave has one stream, one of its streams failed, or one has no decode rate.
Source: R. Jain, D. Chiu, W. Hawe, "A Quantitative Measure of Fairness", DEC-TR-301, 1984. It describes, and decides
    nothing: it can be won by slowing everybody down. Decide by decode_min_tok_s (docs/concepts/fairness.md).
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import across_streams, decode_tok_s
from sparktune.bench.stats import jain_index
from sparktune.model.metric import Better, Metric, Scope

METRIC = Metric(
    name="jain_decode",
    title="Jain (decode)",
    unit="1",
    scope=Scope.WAVE,
    better=Better.HIGHER,
    compute=across_streams(decode_tok_s, jain_index),
    order=240,
)
