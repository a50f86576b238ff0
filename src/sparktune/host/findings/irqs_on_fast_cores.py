"""Interrupts of GPU and network that go to performance cores: to be measured before it is changed."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.interrupts import MELLANOX, NVIDIA, Interrupt, InterruptFacts
from sparktune.host.findings._shared import Found, node_rule
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts

_VENDORS = {NVIDIA: "GPU", MELLANOX: "network"}


def _judge(node: NodeFacts) -> Iterator[Found]:
    facts, cpu = node.get(InterruptFacts), node.get(CpuFacts)
    if facts is None or cpu is None or cpu.split.value is None:
        return
    fast = cpu.split.value.performance
    for vendor, what in _VENDORS.items():
        mine = [one for one in facts.interrupts.value or () if one.vendor == vendor]
        there = [one for one in mine if _busy_on(one, facts.cpus, fast)]
        if there:
            cores = frozenset[int]().union(*(one.effective.value or () for one in there))
            yield Found(
                severity=Severity.INFO,
                evidence=f"{len(there)} interrupts of the {what} go to performance cores "
                f"{format_cpulist(cores & fast)}",
                hint="moving them to efficiency cores frees time there and may lengthen each completion: measure both "
                "ways before keeping either",
            )


def _busy_on(interrupt: Interrupt, columns: tuple[int, ...], cores: frozenset[int]) -> bool:
    """Whether an interrupt is served by one of the cores, and has been since boot."""
    counted = {cpu for cpu, count in zip(columns, interrupt.counts, strict=False) if count}
    return bool((interrupt.effective.value or frozenset()) & cores & counted)


FINDING = node_rule(
    "irqs-on-fast-cores",
    title="Interrupts of GPU or network are served by performance cores",
    why="They take time from inference threads there; whether that can be felt is to be measured.",
    source="Linux Documentation/core-api/irq/irq-affinity.rst",
    judge=_judge,
)
