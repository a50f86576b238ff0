"""How long a wave takes: from its first send to the last output of its last stream.

Formula: last output over all completed streams - first send
Unit: s
Better: lower
Undefined when: no request of the wave completed, or one sent no output.
Source: our own; what a trial costs in time, planned arrivals and turns that wait for each other included.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import each, last_output_ns, per_wave
from sparktune.model.metric import Better, Metric, Scope, Unknown
from sparktune.model.trial import Trial
from sparktune.units import NS_PER_S


def _wave_s(trial: Trial) -> float | Unknown:
    ends_ns = each(trial.completed, last_output_ns)
    if isinstance(ends_ns, Unknown):
        return ends_ns
    return (max(ends_ns) - min(request.send_start_ns for request in trial.completed)) / NS_PER_S


METRIC = Metric(
    name="wave_s",
    title="wave",
    unit="s",
    scope=Scope.WAVE,
    better=Better.LOWER,
    compute=per_wave(_wave_s),
    order=490,
)
