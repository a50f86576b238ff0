"""Time per output token of a stream, after its first output chunk.

Formula: (t_last_output - t_first_output) / (N - n_first); N are the stream's output tokens as the server counts them,
    n_first those of its first output chunk.
Unit: s
Better: lower
Undefined when: a completed stream has no count of its tokens or of its first chunk's, sent all tokens in one chunk, or
    all of its output arrived at one instant.
Source: vLLM ``bench serve`` and most tools use (E2E - TTFT) / (N - 1), which is this formula where the first chunk
    carries one token; with speculative decoding it carries several, and N - 1 overstates the speed.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import per_request, tpot_s
from sparktune.model.metric import Better, Metric, Scope

METRIC = Metric(
    name="tpot_s",
    title="TPOT",
    unit="s",
    scope=Scope.REQUEST,
    better=Better.LOWER,
    compute=per_request(tpot_s),
    order=30,
)
