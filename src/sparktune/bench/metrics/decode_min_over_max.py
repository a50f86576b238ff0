"""Fairness of a wave: how fast its slowest stream writes, compared with its fastest.

Formula: min / max of ``decode_tok_s`` over the streams
Unit: 1
Better: higher
Undefined when: the wave has one stream, one of its streams failed, or one has no decode rate.
Source: our own. A stream that is served last decodes alone and fast, so late prefills that interrupt others show here.
"""

__all__ = ["METRIC"]

from collections.abc import Sequence

from sparktune.bench.metrics._shared import across_streams, decode_tok_s
from sparktune.model.metric import Better, Metric, Scope


def _min_over_max(values: Sequence[float]) -> float:
    return min(values) / max(values)


METRIC = Metric(
    name="decode_min_over_max",
    title="decode min/max",
    unit="1",
    scope=Scope.WAVE,
    better=Better.HIGHER,
    compute=across_streams(decode_tok_s, _min_over_max),
    order=250,
)
