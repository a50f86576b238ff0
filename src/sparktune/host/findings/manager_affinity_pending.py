"""systemd's CPUAffinity as files say it and as PID 1 has it: they differ until the next boot."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.systemd import SystemdFacts
from sparktune.host.findings._shared import Found, node_rule
from sparktune.host.manager_mask import NOT_BEFORE_BOOT, expected_mask
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(node: NodeFacts) -> Iterator[Found]:
    systemd, cpu = node.get(SystemdFacts), node.get(CpuFacts)
    online = cpu.online.value if cpu is not None else None
    if systemd is None or systemd.manager_live.value is None or not online:
        return
    live, expected = systemd.manager_live.value & online, expected_mask(systemd, online)
    if expected is None or live == expected:
        return
    if systemd.manager_wanted.value is not None:
        wanted = systemd.manager_wanted.value & online
        line = systemd.affinity_lines[-1] if systemd.affinity_lines else None
        yield Found(
            severity=Severity.WARNING,
            evidence=f"files set CPUAffinity to {format_cpulist(wanted) or 'no CPU'}, PID 1 has {format_cpulist(live)}",
            hint=NOT_BEFORE_BOOT,
            file=line.path if line else None,
            line=line.line if line else None,
        )
    else:
        yield Found(
            severity=Severity.WARNING,
            evidence=f"no file sets CPUAffinity, but PID 1 has {format_cpulist(live)} of {format_cpulist(online)}",
            hint=NOT_BEFORE_BOOT,
        )


FINDING = node_rule(
    "manager-affinity-pending",
    title="systemd's CPUAffinity is not what PID 1 has",
    why="PID 1 applies it to itself at boot and never again. Until then services, shells and containers inherit "
    "another mask than the file says.",
    source="systemd source, core/main.c update_cpu_affinity; systemd-system.conf(5)",
    judge=_judge,
)
