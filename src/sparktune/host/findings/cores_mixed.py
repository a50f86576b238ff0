"""Topology clusters that hold both core types: a cluster, or an L3 cache, is not a core type."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.findings._shared import Found, node_rule
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(node: NodeFacts) -> Iterator[Found]:
    cpu = node.get(CpuFacts)
    if cpu is None or cpu.split.value is None:
        return
    split = cpu.split.value
    domains = dict.fromkeys((*cpu.clusters, *(domain.cpus for domain in cpu.l3)))
    mixed = [cpus for cpus in domains if cpus & split.performance and cpus & split.efficiency]
    # One cache for the whole machine says nothing.
    if len(mixed) > 1:
        yield Found(
            severity=Severity.INFO,
            evidence=f"the clusters {' and '.join(map(format_cpulist, mixed))} mix both core types: performance "
            f"{format_cpulist(split.performance)}, efficiency {format_cpulist(split.efficiency)}",
            hint="choose cores by type, not by cluster",
        )


FINDING = node_rule(
    "cores-mixed",
    title="Clusters mix core types",
    why="A profile that takes one cluster as the fast one gives inference half slow cores.",
    source="https://github.com/open-mpi/hwloc/pull/770; https://github.com/carstenbauer/ThreadPinning.jl/issues/109",
    judge=_judge,
)
