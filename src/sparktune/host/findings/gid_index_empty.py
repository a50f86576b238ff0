"""A pinned GID index whose slot is empty: the next start of the engine fails, though links and cables are fine."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.rdma import usable_gid
from sparktune.host.findings._shared import Found, environments, ib_devices, node_rule, pinned_gid
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts
from sparktune.model.observed import State


def _judge(node: NodeFacts) -> Iterator[Found]:
    for environment in environments(node):
        index = pinned_gid(environment)
        if index is None:
            continue
        for device in ib_devices(node, environment):
            port = device.ports[0]
            if port.gid(index).state is not State.ABSENT:
                continue
            usable = usable_gid(port)
            if usable is None:
                instead = "no slot of it holds a RoCE v2 address of IPv4"
            else:
                instead = f"its RoCE v2 address {usable.ipv4} is at index {usable.index}"
            yield Found(
                severity=Severity.ERROR,
                evidence=f"{environment.owner} pins NCCL_IB_GID_INDEX={index}; on {device.name} that slot is empty, "
                f"and {instead}",
                hint="leave NCCL_IB_GID_INDEX unset (NCCL 2.21 and later choose per device), or look the index up at "
                "each start; never store it",
                file=environment.file,
            )


FINDING = node_rule(
    "gid-index-empty",
    title="NCCL_IB_GID_INDEX names an empty slot of a GID table",
    why="The kernel numbers GIDs anew whenever addresses are applied. Connections that stand do not notice; the next "
    "start fails with ibv_modify_qp error 61 (no data available).",
    source="https://github.com/bytebunkerlabs/dgx-spark-serve docs/00-networking.md; "
    "Linux Documentation/ABI/stable/sysfs-class-infiniband; NCCL user guide, NCCL_IB_GID_INDEX",
    judge=_judge,
)
