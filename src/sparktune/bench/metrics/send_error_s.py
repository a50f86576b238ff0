"""How far the sends of a wave were from its plan: what the client adds to planned arrivals.

Formula: max of t_send_start - t_planned over the requests that were planned; for a wave that is sent at once, last send
    - first send
Unit: s
Better: lower
Undefined when: no request of the wave completed.
Source: our own. TTFT counts from each request's own send, so that a late send makes no TTFT longer; it changes who
    meets whom. Connecting before the planned instant is the client's business and is inside it when it takes too long.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import per_wave
from sparktune.model.metric import Better, Metric, Scope
from sparktune.model.trial import Trial
from sparktune.units import Seconds


def _send_error_s(trial: Trial) -> Seconds:
    return trial.health.send_skew_s


METRIC = Metric(
    name="send_error_s",
    title="send error",
    unit="s",
    scope=Scope.WAVE,
    better=Better.LOWER,
    compute=per_wave(_send_error_s),
    order=500,
)
