"""The usual gap between two output chunks of a stream. A chunk is a step of the engine, not a token, hence the name.

Formula: median over consecutive output chunks of t_(i+1) - t_i
Unit: s
Better: lower
Undefined when: a completed stream has fewer than two output chunks, or most of them came together with others; or an
    answer was held back and came in one burst.
Source: NVIDIA AIPerf's metrics reference names it inter chunk latency. vLLM and SGLang send a chunk per step, with all
    tokens that a speculative step accepted; llama.cpp sends the tokens of a speculative step one by one, so that most
    gaps are near 0 there and this metric shows the burst: read ``tpot_s`` and ``longest_stall_s`` instead.
"""

__all__ = ["METRIC"]

from statistics import median

from sparktune.bench.metrics._shared import HELD_BACK, gaps_s, per_request
from sparktune.bench.waves import held_back
from sparktune.model.metric import Better, Metric, Scope, Unknown
from sparktune.model.trial import Request


def _step_latency_s(request: Request) -> float | Unknown:
    gaps = gaps_s(request.timeline)
    if isinstance(gaps, Unknown):
        return gaps
    if held_back(request):
        return Unknown(HELD_BACK)
    return median(gaps) or Unknown("chunks of {streams} came several at one instant")


METRIC = Metric(
    name="step_latency_s",
    title="step latency",
    unit="s",
    scope=Scope.REQUEST,
    better=Better.LOWER,
    compute=per_request(_step_latency_s),
    order=60,
)
