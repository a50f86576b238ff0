"""Fairness of a wave: how much longer the last stream waited for its first output than the first one.

Formula: max TTFT - min TTFT over the streams
Unit: s
Better: lower
Undefined when: the wave has one stream, one of its streams failed, or one sent no output.
Source: our own. It describes, and decides nothing: it can be lowered by letting everybody wait. What an experiment may
    be decided by are ttft_max_s, ttft_mean_s and decode_min_tok_s (docs/concepts/fairness.md). Prefills that follow one
    another give (c - 1) times the TTFT of a lone stream.
"""

__all__ = ["METRIC"]

from collections.abc import Sequence

from sparktune.bench.metrics._shared import across_streams, ttft_s
from sparktune.model.metric import Better, Metric, Scope


def _spread(values: Sequence[float]) -> float:
    return max(values) - min(values)


METRIC = Metric(
    name="ttft_spread_s",
    title="TTFT spread",
    unit="s",
    scope=Scope.WAVE,
    better=Better.LOWER,
    compute=across_streams(ttft_s, _spread),
    order=200,
    in_table=True,
)
