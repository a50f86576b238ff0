"""Fairness of a wave: how many times longer the last stream waited than the one in the middle.

Formula: max TTFT / median TTFT over the streams
Unit: 1
Better: lower
Undefined when: the wave has one stream, one of its streams failed, or one sent no output.
Source: our own; 1 says that nobody waited longer than the others.
"""

__all__ = ["METRIC"]

from collections.abc import Sequence
from statistics import median

from sparktune.bench.metrics._shared import across_streams, ttft_s
from sparktune.model.metric import Better, Metric, Scope


def _max_over_median(values: Sequence[float]) -> float | None:
    middle = median(values)
    return max(values) / middle if middle else None


METRIC = Metric(
    name="ttft_max_over_median",
    title="TTFT max/median",
    unit="1",
    scope=Scope.WAVE,
    better=Better.LOWER,
    compute=across_streams(ttft_s, _max_over_median),
    order=220,
)
