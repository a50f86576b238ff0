"""A GPU that slows itself down: heat, power, or the board's brake."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.gpu import GpuFacts
from sparktune.host.findings._shared import SLOWING, Found, node_rule
from sparktune.host.words import join
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts

_MHZ = 1e6


def _judge(node: NodeFacts) -> Iterator[Found]:
    facts = node.get(GpuFacts)
    for gpu in (facts.gpus.value or ()) if facts is not None else ():
        reasons = sorted(SLOWING & set(gpu.clock_reasons.value or ()))
        if not reasons:
            continue
        clock = f", at {gpu.sm_clock_hz.value / _MHZ:.0f} MHz" if gpu.sm_clock_hz.value is not None else ""
        heat = f", at {gpu.temperature.value:.0f} C" if gpu.temperature.value is not None else ""
        yield Found(
            severity=Severity.WARNING,
            evidence=f"GPU {gpu.index} is slowed down by {join(reasons)}{clock}{heat}",
            hint="give it air and its original power adapter; compare only runs in the same state",
        )


FINDING = node_rule(
    "gpu-throttled",
    title="The GPU throttles",
    why="Clocks that depend on what ran before make two runs differ without any change of settings.",
    source="NVML API reference, nvmlClocksEventReasons",
    judge=_judge,
)
