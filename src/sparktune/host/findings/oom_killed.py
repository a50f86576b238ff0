"""The kernel killed processes for memory in this boot."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.kernel_log import KernelLogFacts
from sparktune.host.facts.memory import MemoryFacts
from sparktune.host.findings._shared import Found, node_rule
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(node: NodeFacts) -> Iterator[Found]:
    log, memory = node.get(KernelLogFacts), node.get(MemoryFacts)
    lines = log.oom_kills.value if log is not None else None
    counted = memory.oom_kills.value if memory is not None else None
    count = max(lines.count if lines else 0, counted or 0)
    if count:
        yield Found(
            severity=Severity.WARNING,
            evidence=f"the kernel's OOM killer killed {count} times since boot"
            + (f"; last: {lines.last}" if lines and lines.last else ""),
            hint="see what was killed; an engine that lost a worker that way must be started anew",
        )


FINDING = node_rule(
    "oom-killed",
    title="The kernel's OOM killer was active",
    why="It chooses by size: on unified memory that is often the engine's worker, while its parent lives on.",
    source="Linux mm/oom_kill.c; proc(5), oom_kill in /proc/vmstat",
    judge=_judge,
)
