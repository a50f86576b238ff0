"""A GB10 that stays at a low clock under load, with no reason shown: the platform's stuck low-power state."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.gpu import Gpu, GpuFacts
from sparktune.host.findings._shared import SLOWING, Found, node_rule
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts
from sparktune.units import format_percent

_USUAL_HZ = 2418e6  # the GB10's application clock
_SHARE = 0.6
_BUSY = 0.9
_HOT = 80.0
_MHZ = 1e6


def _judge(node: NodeFacts) -> Iterator[Found]:
    facts = node.get(GpuFacts)
    for gpu in (facts.gpus.value or ()) if facts is not None else ():
        if not _stuck(gpu) or gpu.sm_clock_hz.value is None or gpu.utilization.value is None:
            continue
        power = f", {gpu.power.value:.0f} W" if gpu.power.value is not None else ""
        yield Found(
            severity=Severity.ERROR,
            evidence=f"GPU {gpu.index} runs at {gpu.sm_clock_hz.value / _MHZ:.0f} MHz under "
            f"{format_percent(gpu.utilization.value)} load{power}, and names no reason for it",
            hint="shut down, take the original power adapter off the mains for a minute, start again; locking clocks "
            "(nvidia-smi -lgc) does not help. Measure nothing until it is gone",
        )


def _stuck(gpu: Gpu) -> bool:
    """Whether it is a busy, cool GB10 far below its clock. Only load tells: at idle the clock looks healthy.

    A GPU whose name is not said, as in a table of samples, is taken for one.
    """
    known = (gpu.sm_clock_hz.value, gpu.utilization.value, gpu.clock_reasons.value)
    if None in known or (gpu.name.value is not None and "GB10" not in gpu.name.value):
        return False
    slow = (gpu.sm_clock_hz.value or 0) < _SHARE * _USUAL_HZ and (gpu.utilization.value or 0) >= _BUSY
    cool = gpu.temperature.value is None or gpu.temperature.value < _HOT
    return slow and cool and not (SLOWING | {"sw_power_cap"}) & set(gpu.clock_reasons.value or ())


FINDING = node_rule(
    "gpu-low-power",
    title="The GPU is stuck in a low-power state",
    why="nvidia-smi shows P0, full use and no throttling, while the clock is a third of normal: 42.7 instead of "
    "73.9 tok/s in one report. Whatever is measured then describes the power supply.",
    source="https://github.com/Blackwellboy/model-serving-minefield/pull/55; "
    "https://github.com/hasso5703/dgx-spark-qwen38/issues/8",
    judge=_judge,
)
