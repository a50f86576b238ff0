"""A machine without fast and slow cores, or where they cannot be told apart: advice about cores does not apply."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.findings._shared import Found, node_rule
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(node: NodeFacts) -> Iterator[Found]:
    cpu = node.get(CpuFacts)
    if cpu is not None and cpu.types and cpu.split.value is None:
        yield Found(
            severity=Severity.INFO,
            evidence=cpu.split.why,
            hint="nothing to do: cores are not assigned to work on this machine, whatever core lists articles give",
        )


FINDING = node_rule(
    "not-hybrid",
    title="The machine has no fast and slow cores",
    why="Core lists from articles about other machines would take cores away from inference without any gain.",
    source="Linux Documentation/ABI/testing/sysfs-devices-system-cpu (cpu_capacity, MIDR_EL1)",
    judge=_judge,
)
