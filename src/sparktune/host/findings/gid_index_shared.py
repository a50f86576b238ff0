"""One pinned GID index for a list of several devices: right at best until the next renumbering."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.findings._shared import Found, environments, ib_devices, node_rule, pinned_gid
from sparktune.host.words import join
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(node: NodeFacts) -> Iterator[Found]:
    for environment in environments(node):
        index = pinned_gid(environment)
        devices = ib_devices(node, environment)
        if index is not None and len(devices) > 1:
            yield Found(
                severity=Severity.ERROR,
                evidence=f"{environment.owner} uses {len(devices)} devices ({join(one.name for one in devices)}) with "
                f"one pinned NCCL_IB_GID_INDEX={index}",
                hint="leave NCCL_IB_GID_INDEX unset, so that NCCL 2.21 and later choose per device",
                file=environment.file,
            )


FINDING = node_rule(
    "gid-index-shared",
    title="One pinned GID index for several devices",
    why="The index is one value for all members of the list, and each device numbers its own table; with both devices "
    "up, an index drifted within half an hour and the next load hung.",
    source="https://github.com/tonyd2wild/DeepSeek-v4-Flash-Vision-Exp-DSpark-1M-NVFP4-KV-2x-DGX-Spark issue 38, "
    "pull request 40",
    judge=_judge,
)
