"""One pinned GID index for devices that need different ones."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.rdma import usable_gid
from sparktune.host.findings._shared import Found, cluster_rule, environments, ib_devices, join, pinned_gid
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(nodes: tuple[NodeFacts, ...]) -> Iterator[Found]:
    pins: set[int] = set()
    indexes: dict[str, int] = {}
    for node in nodes:
        for environment in environments(node):
            index = pinned_gid(environment)
            if index is None:
                continue
            pins.add(index)
            for device in ib_devices(node, environment):
                usable = usable_gid(device.ports[0])
                if usable is not None:
                    indexes[f"{node.node} {device.name}"] = usable.index
    if pins and len(set(indexes.values())) > 1:
        listed = join(f"{name}: {index}" for name, index in indexes.items())
        yield Found(
            severity=Severity.ERROR,
            evidence=f"NCCL_IB_GID_INDEX is pinned ({join(map(str, sorted(pins)))}), but the usable index is not the "
            f"same everywhere ({listed})",
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
