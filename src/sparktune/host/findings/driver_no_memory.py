"""The GPU driver could not get memory in this boot: the host is at risk, whatever MemAvailable says."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.kernel_log import KernelLogFacts
from sparktune.host.facts.memory import MemoryFacts
from sparktune.host.findings._shared import Found, node_rule
from sparktune.host.guard import GUARD_AVAILABLE_BYTES
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts
from sparktune.units import format_bytes


def _judge(node: NodeFacts) -> Iterator[Found]:
    log = node.get(KernelLogFacts)
    if log is None or log.no_memory.value is None or not log.no_memory.value.count:
        return
    lines = log.no_memory.value
    yield Found(
        severity=Severity.ERROR,
        evidence=f"the memory gate is RED by NVRM lines: {lines.count} with NV_ERR_NO_MEMORY (0x51) in this boot; "
        f"{_others(node.get(MemoryFacts))}; last: {lines.last}",
        hint="start nothing more until it is understood: wait for reclaim or, on a dedicated node, drop caches before "
        "a load; vLLM 0.24 and later ask for memory differently. Save your work: this can precede a hard reset",
    )


def _others(memory: MemoryFacts | None) -> str:
    """Say what the other inputs of the gate are, so that a reader sees which one fired."""
    if memory is None or memory.available.value is None:
        return "MemAvailable is not known"
    available = memory.available.value
    side = "above" if available >= GUARD_AVAILABLE_BYTES else "below"
    said = f"MemAvailable {format_bytes(available)} is {side} the line of {format_bytes(GUARD_AVAILABLE_BYTES)}"
    return said + (f", MemFree {format_bytes(memory.free.value)}" if memory.free.value is not None else "")


FINDING = node_rule(
    "driver-no-memory",
    title="The GPU driver ran out of memory in this boot",
    why="Page cache counts as available, but the driver cannot use it at once. The same lines were seen before whole "
    "machines hung or reset without a trace in their logs.",
    source="https://github.com/vllm-project/vllm/issues/56824; "
    "https://github.com/NVIDIA/open-gpu-kernel-modules/issues/1358",
    judge=_judge,
)
