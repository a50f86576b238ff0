"""Worst wait of a wave: how long the stream that waited longest waited for its first output.

Formula: max TTFT over the streams
Unit: s
Better: lower
Undefined when: one of the wave's streams failed, or one sent no output.
Source: our own. Unlike a spread it cannot be lowered by letting the others wait longer, so it may decide an experiment;
    with the mean TTFT and the slowest stream beside it (docs/concepts/fairness.md).
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import over_streams, ttft_s
from sparktune.model.metric import Better, Metric, Scope

METRIC = Metric(
    name="ttft_max_s",
    title="TTFT worst",
    unit="s",
    scope=Scope.WAVE,
    better=Better.LOWER,
    compute=over_streams(ttft_s, max),
    order=192,
)
