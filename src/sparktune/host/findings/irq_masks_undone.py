"""A service that moves interrupts on its own: masks that are set by hand do not stay."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.irq_services import IrqServicesFacts
from sparktune.host.findings._shared import Found, node_rule
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(node: NodeFacts) -> Iterator[Found]:
    facts = node.get(IrqServicesFacts)
    if facts is None:
        return
    irqbalance, tuned = facts.service("irqbalance"), facts.service("tuned")
    if irqbalance is not None and irqbalance.active == "active":
        banned = facts.irqbalance_banned.value
        kept = f"it keeps off CPUs {banned}" if banned else "it may use all CPUs"
        yield Found(
            severity=Severity.INFO,
            evidence=f"irqbalance is active, and {kept}",
            hint="IRQ masks set by hand are undone within seconds; tell it instead which CPUs to leave alone "
            "(IRQBALANCE_BANNED_CPULIST in /etc/default/irqbalance), or stop it",
        )
    if tuned is not None and tuned.active == "active":
        yield Found(
            severity=Severity.INFO,
            evidence=f"tuned is active with the profile {facts.tuned_profile.value or 'unknown'}",
            hint="what its profile sets, it sets again: change the profile, not the values below it",
        )


FINDING = node_rule(
    "irq-masks-undone",
    title="A service moves interrupts or sets kernel values again",
    why="A script that pins interrupts reports success, and ten seconds later they are elsewhere.",
    source="irqbalance(1); tuned-adm(8)",
    judge=_judge,
)
