"""Time to first token: how long a stream waits for its first output of any kind (text, reasoning or a tool call).

Formula: t_first_output - t_send_start, on one clock; connecting is over before, sending the prompt is inside.
Unit: s
Better: lower
Undefined when: a completed stream sent no output.
Source: the field's usual definition (vLLM ``bench serve``, NVIDIA AIPerf's metrics reference), which also skips
    chunks without output; a role, progress, usage or keep-alive chunk is none.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import per_request, ttft_s
from sparktune.model.metric import Better, Metric, Scope

METRIC = Metric(
    name="ttft_s",
    title="TTFT",
    unit="s",
    scope=Scope.REQUEST,
    better=Better.LOWER,
    compute=per_request(ttft_s),
    order=10,
    in_table=True,
)
