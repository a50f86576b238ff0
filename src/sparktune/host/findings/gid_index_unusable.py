"""A pinned GID index whose slot holds an address that RoCE v2 over IPv4 cannot use."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.rdma import ROCE_V2, Gid, usable_gid
from sparktune.host.findings._shared import Found, environments, ib_devices, node_rule, pinned_gid
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(node: NodeFacts) -> Iterator[Found]:
    for environment in environments(node):
        index = pinned_gid(environment)
        if index is None:
            continue
        for device in ib_devices(node, environment):
            gid = device.ports[0].gid(index).value
            fault = _fault(gid) if gid is not None else ""
            if not fault:
                continue
            usable = usable_gid(device.ports[0])
            instead = f"; index {usable.index} is RoCE v2 of {usable.ipv4}" if usable else ""
            written = environment.variables["NCCL_IB_GID_INDEX"]
            empty = " (an empty value counts as 0, it is not unset)" if not written.strip() else ""
            yield Found(
                severity=Severity.ERROR,
                evidence=f"{environment.owner} pins NCCL_IB_GID_INDEX={written}{empty}; on {device.name} that slot is "
                f"{fault}{instead}",
                hint="leave NCCL_IB_GID_INDEX unset (NCCL 2.21 and later choose per device), or look the index up at "
                "each start",
                file=environment.file,
            )


def _fault(gid: Gid) -> str:
    if gid.kind.value is not None and gid.kind.value != ROCE_V2:
        return f"{gid.kind.value}, not RoCE v2"
    if gid.link_local:
        return f"link-local ({gid.ipv4 or gid.address})"
    return ""


FINDING = node_rule(
    "gid-index-unusable",
    title="NCCL_IB_GID_INDEX names a RoCE v1 or a link-local slot",
    why="The same address stands in a table as v1 and as v2, and link-local ones as v2: neither reaches the peer's "
    "RoCE v2 queue pair, so that the connection fails or hangs.",
    source="https://github.com/spark-arena/sparkrun scripts/ib_detect.sh (takes the first v2 slot); "
    "NCCL user guide, NCCL_IB_GID_INDEX",
    judge=_judge,
)
