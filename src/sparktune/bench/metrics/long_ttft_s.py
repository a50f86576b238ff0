"""How long the long prompt of a household's other agent waits for its first output.

Formula: TTFT of the long prompt
Unit: s
Better: lower
Undefined when: the cell is no household, one of its requests failed, or the long prompt got no output.
Source: our own. What protects the agent that is writing makes the other one wait: read it beside the decode rates.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import each, of_household, ttft_s
from sparktune.model.metric import Better, Metric, Scope, Unknown
from sparktune.model.mix import Household
from sparktune.model.trial import Trial


def _long(trial: Trial, mix: Household) -> tuple[float, ...] | Unknown:
    return each(trial.requests[mix.long_stream :], ttft_s)


METRIC = Metric(
    name="long_ttft_s",
    title="long TTFT",
    unit="s",
    scope=Scope.WAVE,
    better=Better.LOWER,
    compute=of_household(_long),
    order=520,
)
