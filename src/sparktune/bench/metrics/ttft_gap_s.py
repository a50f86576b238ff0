"""Fairness of a wave: the longest wait from one stream's first output to the next stream's.

Formula: max of t_(i+1) - t_i over the TTFTs of the streams in rising order
Unit: s
Better: lower
Undefined when: the wave has one stream, one of its streams failed, or one sent no output.
Source: our own; it describes, as the spread does. Gaps of equal size say that prefills follow one another; one large
    gap says that a stream was queued.
"""

__all__ = ["METRIC"]

from collections.abc import Sequence
from itertools import pairwise

from sparktune.bench.metrics._shared import across_streams, ttft_s
from sparktune.model.metric import Better, Metric, Scope


def _largest_gap(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return max(after - before for before, after in pairwise(ordered))


METRIC = Metric(
    name="ttft_gap_s",
    title="TTFT gap",
    unit="s",
    scope=Scope.WAVE,
    better=Better.LOWER,
    compute=across_streams(ttft_s, _largest_gap),
    order=210,
)
