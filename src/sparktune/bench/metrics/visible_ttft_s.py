"""Time to the first content that a user sees: a model that thinks first is judged by its first visible word.

Formula: t_first_visible_content - t_send_start
Unit: s
Better: lower
Undefined when: a completed stream sent no visible content (a model may spend all its tokens on thinking).
Source: NVIDIA AIPerf's metrics reference keeps the same pair apart (time to first token, time to first output token).
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import per_request
from sparktune.model.metric import Better, Metric, Scope, Unknown
from sparktune.model.trial import Request
from sparktune.units import seconds_between


def _visible_ttft_s(request: Request) -> float | Unknown:
    visible = request.timeline.visible_ns
    if visible is None:
        return Unknown("{streams} sent no visible content")
    return seconds_between(request.send_start_ns, visible)


METRIC = Metric(
    name="visible_ttft_s",
    title="visible TTFT",
    unit="s",
    scope=Scope.REQUEST,
    better=Better.LOWER,
    compute=per_request(_visible_ttft_s),
    order=20,
)
