"""End to end: how long a user waits for the whole answer.

Formula: t_last_output - t_send_start; usage and end marks that come later do not count.
Unit: s
Better: lower
Undefined when: a completed stream sent no output.
Source: the field's usual definition (vLLM ``bench serve`` E2EL), without the chunks after the last output.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import e2e_s, per_request
from sparktune.model.metric import Better, Metric, Scope

METRIC = Metric(
    name="e2e_s",
    title="E2E",
    unit="s",
    scope=Scope.REQUEST,
    better=Better.LOWER,
    compute=per_request(e2e_s),
    order=40,
)
