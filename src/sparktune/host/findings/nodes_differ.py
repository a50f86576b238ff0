"""Nodes that should be alike and are not: kernel, driver, firmware, runc, engine images, frequency settings."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.findings._shared import Found, cluster_rule
from sparktune.host.parity import ALIKE
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts

_HINT = "bring the nodes to one version before comparing or blaming anything; updates go to all nodes, or to none"


def _judge(nodes: tuple[NodeFacts, ...]) -> Iterator[Found]:
    for what, read in ALIKE:
        values = {node.node: value for node in nodes if (value := read(node))}
        if len(set(values.values())) > 1:
            listed = ", ".join(f"{node} {value}" for node, value in values.items())
            yield Found(severity=Severity.WARNING, evidence=f"{what}: {listed}", hint=_HINT)


FINDING = cluster_rule(
    "nodes-differ",
    title="Nodes of one cluster are not alike",
    why="An engine over several nodes goes as fast as the slowest one; an update on one node only has cost RDMA "
    "registration (kernel), half the bandwidth of the fabric (firmware) and container confinement (runc).",
    source="https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/issues/259; "
    "https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash docs/01; "
    "https://github.com/opencontainers/runc issue 4814",
    judge=_judge,
)
