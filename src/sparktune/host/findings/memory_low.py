"""MemAvailable below the guard line of 3 GiB."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.memory import MemoryFacts
from sparktune.host.findings._shared import Found, node_rule
from sparktune.host.guard import GUARD_AVAILABLE_BYTES
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts
from sparktune.units import format_bytes


def _judge(node: NodeFacts) -> Iterator[Found]:
    memory = node.get(MemoryFacts)
    if memory is None or memory.available.value is None or memory.available.value >= GUARD_AVAILABLE_BYTES:
        return
    cpu = node.get(CpuFacts)
    shared = cpu is None or not cpu.types or cpu.platform.value == "GB10"
    yield Found(
        # Elsewhere the GPU has memory of its own: less is enough, and swapping hurts others than the engine.
        severity=Severity.ERROR if shared else Severity.WARNING,
        evidence=f"MemAvailable is {format_bytes(memory.available.value)}, below the guard line of "
        f"{format_bytes(GUARD_AVAILABLE_BYTES)}",
        hint="free memory before anything is measured or started: fewer sequences, a smaller KV cache, one big tenant",
    )


FINDING = node_rule(
    "memory-low",
    title="Little memory is left",
    why="On a GB10 CPU and GPU share one pool: what the GPU takes, the system lacks. Machines below a few GiB swapped, "
    "lost ssh or had to be switched off.",
    source="https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash docs/07, docs/08",
    judge=_judge,
)
