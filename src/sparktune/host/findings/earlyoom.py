"""earlyoom is there: what it would end, and when. Whether that is right is for the owner to say."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.irq_services import IrqServicesFacts
from sparktune.host.findings._shared import Found, node_rule
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(node: NodeFacts) -> Iterator[Found]:
    facts = node.get(IrqServicesFacts)
    service = facts.service("earlyoom") if facts is not None else None
    if facts is None or service is None or service.active != "active":
        return
    arguments = facts.earlyoom_arguments.value or service.command.value
    yield Found(
        severity=Severity.INFO,
        evidence=f"earlyoom is active with {arguments or 'arguments that are not known'}",
        hint="advice differs: one side keeps it so that the machine survives, the other stops it because it ends "
        "workers without a trace in the engine's log. Decide, and look into its journal when a worker vanishes",
    )


FINDING = node_rule(
    "earlyoom",
    title="earlyoom may end processes before memory runs out",
    why="It sends SIGTERM at the shares of free memory and swap that its arguments say, to what they name first; an "
    "engine then dies without any message of its own.",
    source="earlyoom(1); https://github.com/spark-arena/sparkrun (setup earlyoom); "
    "https://github.com/Mjxkill/deepseek-v4-flash-2x-dgx-spark README, trap 6",
    judge=_judge,
)
