"""Mean wait of a wave: what its streams waited for their first outputs, on average.

Formula: sum of the TTFTs / number of streams
Unit: s
Better: lower
Undefined when: one of the wave's streams failed, or one sent no output.
Source: our own. It is the guard beside the worst wait: prompts that share the server all finish when the last one would
    have, which leaves the worst wait as it was and raises the mean (docs/concepts/fairness.md).
"""

__all__ = ["METRIC"]

from statistics import fmean

from sparktune.bench.metrics._shared import over_streams, ttft_s
from sparktune.model.metric import Better, Metric, Scope

METRIC = Metric(
    name="ttft_mean_s",
    title="TTFT mean",
    unit="s",
    scope=Scope.WAVE,
    better=Better.LOWER,
    compute=over_streams(ttft_s, fmean),
    order=194,
)
