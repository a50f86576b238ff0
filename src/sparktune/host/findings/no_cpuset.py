"""An inference container without a cpuset: which cores it gets is decided elsewhere."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.containers import ContainerFacts
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.systemd import SystemdFacts
from sparktune.host.findings._shared import Found, confined, node_rule, processes_in
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(node: NodeFacts) -> Iterator[Found]:
    cpu = node.get(CpuFacts)
    if cpu is None or cpu.split.value is None:
        return
    split = cpu.split.value
    systemd = node.get(SystemdFacts)
    lines = systemd.affinity_lines if systemd is not None else ()
    for container in (node.get(ContainerFacts) or ContainerFacts()).containers:
        slow = any(confined(one, split.efficiency) for one in processes_in(node, container))
        if container.engine is None or container.cpuset or slow:
            continue
        wanted = f'cpuset: "{format_cpulist(split.performance)}"'
        if lines:
            yield Found(
                severity=Severity.WARNING,
                evidence=f"{container.name} has no cpuset, and {lines[-1].path} sets CPUAffinity={lines[-1].value}",
                hint=f"set {wanted} for the service and recreate it before the machine starts anew: it may inherit the "
                "manager's cores then",
                file=container.declared_in,
            )
        else:
            yield Found(
                severity=Severity.INFO,
                evidence=f"{container.name} has no cpuset: it may use all cores, together with everything else",
                hint=f"{wanted} would keep it on performance cores; whether that helps this workload is to be measured",
                file=container.declared_in,
            )


FINDING = node_rule(
    "no-cpuset",
    title="An inference container has no cpuset",
    why="Without one its cores depend on systemd's CPUAffinity and on the version of runc, and other work shares them.",
    source="https://github.com/opencontainers/runc issues 4814, 4858; Docker reference, --cpuset-cpus",
    judge=_judge,
)
