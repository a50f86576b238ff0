"""The longest silence of a stream after its first output: what a reader notices as the text standing still.

Formula: max over consecutive output chunks of t_(i+1) - t_i
Unit: s
Better: lower
Undefined when: a completed stream has fewer than two output chunks.
Source: our own; prefills of other requests that interrupt a decode show here and in no average.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import gaps_s, per_request
from sparktune.model.metric import Better, Metric, Scope, Unknown
from sparktune.model.trial import Request


def _longest_stall_s(request: Request) -> float | Unknown:
    gaps = gaps_s(request.timeline)
    return gaps if isinstance(gaps, Unknown) else max(gaps)


METRIC = Metric(
    name="longest_stall_s",
    title="longest stall",
    unit="s",
    scope=Scope.REQUEST,
    better=Better.LOWER,
    compute=per_request(_longest_stall_s),
    order=70,
)
