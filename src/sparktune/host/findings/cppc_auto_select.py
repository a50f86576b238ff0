"""CPPC autonomous mode is off: the firmware does not choose the frequency, on a platform where it should."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.cpufreq import CpufreqFacts
from sparktune.host.findings._shared import Found, node_rule
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(node: NodeFacts) -> Iterator[Found]:
    facts = node.get(CpufreqFacts)
    policies = facts.policies if facts is not None else ()
    off = frozenset(policy.cpu for policy in policies if policy.auto_select.value is False)
    if off:
        yield Found(
            severity=Severity.WARNING,
            evidence=f"auto_select is 0 on CPUs {format_cpulist(off)}",
            hint="boot with cppc_cpufreq.auto_sel_mode=1, as DGX OS has it",
        )


FINDING = node_rule(
    "cppc-auto-select",
    title="CPPC autonomous frequency selection is off",
    why="One report has a third of the memory bandwidth of a single thread without it, and about 4 % less in "
    "llama.cpp's prompt processing.",
    source="https://github.com/graham33/nixos-dgx-spark; Linux Documentation/ABI/testing/sysfs-devices-system-cpu",
    judge=_judge,
)
