"""An engine's log says that memory could not be registered for RDMA: whether a limit is to blame, or the kernel."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.memory import MemoryFacts
from sparktune.host.facts.processes import ProcessFacts
from sparktune.host.findings._shared import Found, cluster_rule
from sparktune.host.nccl_log import NcclEventKind, NcclLogFacts, logged
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(nodes: tuple[NodeFacts, ...]) -> Iterator[Found]:
    for one in logged(nodes, NcclEventKind.NO_MEMORY):
        if any(_cma_is_wrong(node) for node in one.nodes):
            cause = "the kernel's CMA counters are wrong (CmaFree above CmaTotal): see cma-exceeds-total"
            hint = "boot another kernel, or this one with kho=off; this is no cable, no GID and no limit"
        elif any(_unlimited(node) for node in one.nodes):
            cause = "locked memory is unlimited, so that no limit is to blame"
            hint = "compare kernel and CMA of the nodes, and how much memory was free at that moment"
        else:
            cause = "locked memory may be limited"
            hint = "look at Max locked memory in /proc/PID/limits of the engine, and set ulimits: {memlock: -1}"
        yield Found(
            severity=Severity.ERROR,
            evidence=f"NCCL could not register memory: {one.evidence}; {cause}",
            hint=hint,
            node=one.node,
            file=one.file,
            line=one.event.line,
        )


def _cma_is_wrong(node: NodeFacts) -> bool:
    memory = node.get(MemoryFacts)
    if memory is None or memory.cma_free.value is None or memory.cma_total.value is None:
        return False
    return memory.cma_free.value > memory.cma_total.value


def _unlimited(node: NodeFacts) -> bool:
    if (node.get(NcclLogFacts) or NcclLogFacts()).unlimited_memlock:
        return True
    processes = (node.get(ProcessFacts) or ProcessFacts()).processes
    return bool(processes) and all(process.unlimited_memlock for process in processes)


FINDING = cluster_rule(
    "log-no-memory",
    title="NCCL's log says that memory could not be registered",
    why="ibv_reg_mr fails with 'cannot allocate memory' for two reasons that look the same: a small limit on locked "
    "memory, or a kernel that miscounts. Only one of them is cured by a limit.",
    source="NVIDIA/nccl src/misc/ibvwrap.cc; "
    "https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark issue 259",
    judge=_judge,
)
