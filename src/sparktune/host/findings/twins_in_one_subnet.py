"""Two devices of the fabric in one subnet: the kernel sends by one of them only, answers come back by the other."""

__all__ = ["FINDING"]

from collections.abc import Iterator
from itertools import combinations

from sparktune.host.findings._shared import Found, fabric_devices, node_rule, rdma_behind
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(node: NodeFacts) -> Iterator[Found]:
    for one, other in combinations(fabric_devices(node), 2):
        shared = {address.subnet for address in one.ipv4} & {address.subnet for address in other.ipv4}
        for subnet in sorted(map(str, shared)):
            ours, theirs = rdma_behind(node, one.name), rdma_behind(node, other.name)
            twins = " are two functions of one port and" if ours and theirs and ours.twin_of(theirs) else ""
            yield Found(
                severity=Severity.ERROR,
                evidence=f"{one.name} and {other.name}{twins} have both an address in {subnet}",
                hint="give each device a subnet of its own, the same on every node",
            )


FINDING = node_rule(
    "twins-in-one-subnet",
    title="Two fabric devices of a node share a subnet",
    why="Routes are chosen by subnet: traffic of both devices leaves by one, and RDMA between devices that do not face "
    "each other fails or crawls.",
    source="https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash docs/02; "
    "https://github.com/bytebunkerlabs/dgx-spark-serve docs/00-networking.md",
    judge=_judge,
)
