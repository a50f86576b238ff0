"""A container whose inference threads may run on efficiency cores only."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.containers import Container, ContainerFacts
from sparktune.host.facts.systemd import SystemdFacts
from sparktune.host.findings._shared import Found, confined, node_rule, processes_in, slow_cores
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(node: NodeFacts) -> Iterator[Found]:
    known = slow_cores(node)
    if known is None:
        return
    for container in (node.get(ContainerFacts) or ContainerFacts()).containers:
        slow = [one for one in processes_in(node, container) if confined(one, known.cores)]
        if not slow:
            continue
        cores = frozenset[int]().union(*(thread.allowed.value or () for one in slow for thread in one.threads))
        threads = sum(len(one.threads) for one in slow)
        yield Found(
            severity=Severity.ERROR,
            evidence=f"container {container.name}: all {threads} threads of {len(slow)} inference processes may run on "
            f"CPUs {format_cpulist(cores)} only, {known.words}; {_cause(node, container)}",
            hint=f'set cpuset: "{known.instead}" for the service and recreate the '
            "container (a restart keeps the old one), then look at Cpus_allowed_list of every thread",
        )


def _cause(node: NodeFacts, container: Container) -> str:
    if container.cpuset:
        return f"its cpuset is {container.cpuset}"
    systemd = node.get(SystemdFacts)
    if systemd is not None and systemd.affinity_lines:
        line = systemd.affinity_lines[-1]
        return f"it has no cpuset and inherits CPUAffinity={line.value} of {line.path}"
    return "it has no cpuset and inherits the mask of the Docker daemon"


FINDING = node_rule(
    "container-on-slow-cores",
    title="A container may use efficiency cores only",
    why="systemd's CPUAffinity is inherited by the Docker daemon and, depending on the version of runc, by every "
    "container without a cpuset: the profile that should help inference confines it instead.",
    source="https://github.com/opencontainers/runc issues 4814, 4858; systemd-system.conf(5), CPUAffinity=",
    judge=_judge,
)
