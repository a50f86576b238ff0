"""One pinned GID index for devices that need different ones."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.rdma import usable_gid
from sparktune.host.findings._shared import Found, cluster_rule, environments, ib_devices, pinned_gid
from sparktune.host.words import join
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(nodes: tuple[NodeFacts, ...]) -> Iterator[Found]:
    pins: dict[str, int] = {}
    indexes: dict[str, int] = {}
    for node in nodes:
        for environment in environments(node):
            pin = pinned_gid(environment)
            for device in ib_devices(node, environment) if pin is not None else ():
                usable = usable_gid(device.ports[0])
                if usable is not None:
                    name = f"{node.node} {device.name}"
                    pins[name], indexes[name] = pin or 0, usable.index
    # Nodes that pin different values, each its own, are right until the next renumbering.
    if len(set(indexes.values())) > 1 and pins != indexes:
        listed = join(f"{name}: {index}" for name, index in indexes.items())
        yield Found(
            severity=Severity.ERROR,
            evidence=f"NCCL_IB_GID_INDEX is pinned ({join(map(str, sorted(set(pins.values()))))}), but the usable "
            f"index is not the same everywhere ({listed})",
            hint="leave NCCL_IB_GID_INDEX unset, so that NCCL 2.21 and later choose per device",
        )


FINDING = cluster_rule(
    "gid-index-differs",
    title="A GID index is pinned where devices need different ones",
    why="The variable holds one index for all devices of a process, but every device of every node has a table of its "
    "own: one value cannot be right for all.",
    source="https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark pull requests 10, 11; "
    "https://github.com/Blackwellboy/model-serving-minefield trap 114",
    judge=_judge,
)
