"""The largest share of the KV cache that was seen in use while the wave ran.

Formula: max of the server's gauge over the scrapes during the wave (about one a second: a shorter peak is missed)
Unit: share
Better: neither
Undefined when: no scrape during the wave carried the gauge (the wave was too short, or the server has none).
Source: vLLM's ``vllm:kv_cache_usage_perc``, SGLang's ``sglang:token_usage``.
"""

__all__ = ["METRIC"]

from sparktune.model.metric import Better, Metric, Scope, Unknown
from sparktune.model.options import Slo
from sparktune.model.trial import Trial


def _compute(trial: Trial, _slo: Slo) -> tuple[float, ...] | Unknown:
    seen = [sample.kv_use for sample in trial.gauges if sample.kv_use is not None]
    if not seen:
        return Unknown(f"none of {len(trial.gauges)} scrapes during the wave told the use of the KV cache")
    return (max(seen),)


METRIC = Metric(
    name="kv_use_peak",
    title="KV use (peak)",
    unit="share",
    scope=Scope.SERVER,
    better=Better.NEITHER,
    compute=_compute,
    order=420,
)
