"""An engine's log says that a GID slot was empty: which device, which index, and what would work."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.rdma import RdmaFacts, usable_gid
from sparktune.host.findings._shared import Found, cluster_rule
from sparktune.host.nccl_log import Logged, NcclEventKind, logged
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(nodes: tuple[NodeFacts, ...]) -> Iterator[Found]:
    for one in logged(nodes, NcclEventKind.GID_EMPTY):
        usable = "; ".join(filter(None, (_usable(node, one.event.device) for node in one.nodes)))
        yield Found(
            severity=Severity.ERROR,
            evidence=f"NCCL met an empty GID: {one.evidence}" + (f"; {usable}" if usable else ""),
            hint=f"{_choose(one)}. Links and cables are fine: 61 says that the address is missing, not the wire",
            node=one.node,
            file=one.file,
            line=one.event.line,
        )


def _usable(node: NodeFacts, name: str | None) -> str:
    device = (node.get(RdmaFacts) or RdmaFacts()).device(name or "")
    gids = [usable_gid(port) for port in device.ports if port.slots] if device is not None else []
    return ", ".join(f"on {node.node} index {gid.index} of {name} holds {gid.ipv4}" for gid in gids if gid is not None)


def _choose(one: Logged) -> str:
    pinned = f" (index {one.event.gid_index} was used)" if one.event.gid_index is not None else ""
    device = one.event.device or "the device"
    return (
        f"leave NCCL_IB_GID_INDEX unset{pinned}: NCCL 2.21 and later choose per device; where {device} has no IPv4 "
        "address, give it one or take it out of NCCL_IB_HCA"
    )


FINDING = cluster_rule(
    "log-gid-empty",
    title="NCCL's log says that a GID was empty",
    why="ibv_modify_qp fails with error 61 (no data available) when the slot of NCCL_IB_GID_INDEX is empty, or when a "
    "device of NCCL_IB_HCA has no IPv4 address: the engine does not start.",
    source="NVIDIA/nccl src/misc/ibvwrap.cc; https://github.com/Mjxkill/deepseek-v4-flash-2x-dgx-spark README, trap 3",
    judge=_judge,
)
