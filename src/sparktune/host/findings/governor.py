"""A frequency governor other than performance."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.cpufreq import CpufreqFacts
from sparktune.host.findings._shared import Found, node_rule
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(node: NodeFacts) -> Iterator[Found]:
    facts, cpu = node.get(CpufreqFacts), node.get(CpuFacts)
    by_name: dict[str, set[int]] = {}
    for policy in facts.policies if facts is not None else ():
        if policy.governor.value is not None:
            by_name.setdefault(policy.governor.value, set()).add(policy.cpu)
    # Elsewhere other governors are usual, and right.
    usual = cpu is not None and cpu.platform.value == "GB10"
    for name, cpus in by_name.items():
        if name != "performance":
            yield Found(
                severity=Severity.WARNING if usual else Severity.INFO,
                evidence=f"the governor of CPUs {format_cpulist(frozenset(cpus))} is {name}",
                hint="DGX OS has performance on all CPUs; find out what changed it (power-profiles-daemon, tuned)",
            )


FINDING = node_rule(
    "governor",
    title="A CPU's frequency governor is not performance",
    why="Cores that wake up slow make the time to the first token vary, and two nodes with different governors are no "
    "pair to compare on.",
    source="Linux Documentation/admin-guide/pm/cpufreq.rst; NVIDIA/daqiri docs/tutorials/system_configuration.md",
    judge=_judge,
)
