"""An inference process outside of containers whose threads may run on efficiency cores only."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.containers import ContainerFacts
from sparktune.host.facts.processes import ProcessFacts
from sparktune.host.findings._shared import Found, confined, node_rule, processes_in, slow_cores
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(node: NodeFacts) -> Iterator[Found]:
    known = slow_cores(node)
    if known is None:
        return
    containers = (node.get(ContainerFacts) or ContainerFacts()).containers
    inside = {process.pid for container in containers for process in processes_in(node, container)}
    for process in (node.get(ProcessFacts) or ProcessFacts()).processes:
        if process.pid in inside or not confined(process, known.cores):
            continue
        cores = frozenset[int]().union(*(thread.allowed.value or () for thread in process.threads))
        yield Found(
            severity=Severity.WARNING,
            evidence=f"process {process.pid} ({process.engine} {process.role}): all {len(process.threads)} threads may "
            f"run on CPUs {format_cpulist(cores)} only, {known.words}",
            hint=f"if nobody meant it, start it with taskset -c {known.instead}, or give its container that cpuset; to "
            "keep one busy thread away from fast cores, move that thread alone",
        )


FINDING = node_rule(
    "process-on-slow-cores",
    title="An inference process may use efficiency cores only",
    why="A shell inherits systemd's CPUAffinity, and whatever is started from it too; taskset on a whole server moves "
    "the threads that compute together with the one that polls.",
    source="systemd-system.conf(5), CPUAffinity=; sched_setaffinity(2)",
    judge=_judge,
)
