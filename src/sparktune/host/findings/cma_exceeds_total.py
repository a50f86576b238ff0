"""CmaFree above CmaTotal: a known fault of the kernel that takes memory from RDMA and from everybody."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.memory import MemoryFacts
from sparktune.host.findings._shared import Found, node_rule
from sparktune.host.parity import kernel_of
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts
from sparktune.units import format_bytes


def _judge(node: NodeFacts) -> Iterator[Found]:
    memory = node.get(MemoryFacts)
    if memory is None or memory.cma_free.value is None or memory.cma_total.value is None:
        return
    free, total = memory.cma_free.value, memory.cma_total.value
    if free <= total:
        return
    kernel = kernel_of(node)
    kho = ", or boot this one with kho=off" if not memory.crash_size.value else ""
    yield Found(
        severity=Severity.ERROR,
        evidence=f"CmaFree {format_bytes(free)} is above CmaTotal {format_bytes(total)}"
        + (f" on kernel {kernel}" if kernel else ""),
        hint=f"boot the previous kernel (6.17.0-1032-nvidia is reported to work, same driver){kho}; the fault is "
        "the kernel's, not a limit, a GID or a cable. Keep the same kernel on all nodes",
    )


FINDING = node_rule(
    "cma-exceeds-total",
    title="CmaFree is larger than CmaTotal",
    why="A regression of 7.0 kernels around kexec handover: ibv_reg_mr fails with 'cannot allocate memory' although "
    "limits are right, and with kho=off one report saw idle MemFree rise from 88 to 114 GiB.",
    source="https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/issues/259; "
    "https://github.com/eugr/spark-vllm-docker/issues/389",
    judge=_judge,
)
