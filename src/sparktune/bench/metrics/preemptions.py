"""How often the server threw a running request out of its KV cache while the wave ran, to compute it again later.

Formula: rise of the server's counter of preemptions (SGLang: retractions)
Unit: 1
Better: lower
Undefined when: the server has no such counter (llama.cpp has none) or was restarted.
Source: vLLM's ``vllm:num_preemptions_total``, SGLang's ``sglang:num_retracted_requests_total``.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import from_counters
from sparktune.model.counters import CounterDelta
from sparktune.model.metric import Better, Metric, Scope, Unknown


def _preemptions(delta: CounterDelta) -> tuple[float, ...] | Unknown:
    if delta.preemptions is None:
        return Unknown("the server has no counter of preemptions")
    return (delta.preemptions,)


METRIC = Metric(
    name="preemptions",
    title="preemptions",
    unit="1",
    scope=Scope.SERVER,
    better=Better.LOWER,
    compute=from_counters(_preemptions),
    order=410,
)
