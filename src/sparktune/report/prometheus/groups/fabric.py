"""The fabric: MTU and RoCE GID index of its devices, and whether nodes that face each other have the same.

Source: the findings ``mtu-mismatch`` and ``gid-index-differs``, whose docstrings say what a difference costs.
"""

__all__ = ["GROUP"]

from collections.abc import Iterator

from sparktune.host.facts.netdev import NetdevFacts, NetDevice
from sparktune.host.facts.rdma import RdmaFacts, usable_gid
from sparktune.model.node import NodeFacts
from sparktune.report.prometheus.seen import Seen, Unknown
from sparktune.report.prometheus.series import Alert, Group, Panel, Point, Series, Shape

_PEERS = 2
_SAME = {"0": "differ", "1": "same"}
_STEPS = ((0, "red"), (1, "green"))


def _devices(node: NodeFacts) -> tuple[NetDevice, ...]:
    """Return the network devices that have an RDMA device."""
    rdma, net = node.get(RdmaFacts) or RdmaFacts(), node.get(NetdevFacts) or NetdevFacts()
    behind = {name for device in rdma.devices for name in device.netdevs}
    return tuple(device for device in net.devices if device.name in behind)


def _mtus(seen: Seen) -> Iterator[Point]:
    for node in seen.cluster.answered if seen.cluster is not None else ():
        for device in _devices(node):
            if device.mtu.value is not None:
                yield Point(float(device.mtu.value), (node.node, device.name))


def _gids(seen: Seen) -> Iterator[Point]:
    for node in seen.cluster.answered if seen.cluster is not None else ():
        for device in (node.get(RdmaFacts) or RdmaFacts()).devices:
            for port in device.ports:
                usable = usable_gid(port) if port.active else None
                if usable is not None:
                    yield Point(float(usable.index), (node.node, device.name, str(port.number)))


def _nodes_of(points: Iterator[Point]) -> int:
    return len({point.labels[0] for point in points})


def _mtu_parity(seen: Seen) -> Iterator[Point]:
    if seen.findings is None or _nodes_of(_mtus(seen)) < _PEERS:
        return
    yield Point(0.0 if any(one.rule == "mtu-mismatch" for one in seen.findings) else 1.0)


def _gid_parity(seen: Seen) -> Iterator[Point]:
    if _nodes_of(_gids(seen)) < _PEERS:
        return
    yield Point(1.0 if len({point.value for point in _gids(seen)}) == 1 else 0.0)


def _unknown(seen: Seen) -> Iterator[Unknown]:
    if seen.cluster is None or len(seen.cluster.nodes) < _PEERS:
        return  # nobody has two to compare
    one = f"it takes {_PEERS} nodes that tell it, and there are"
    told = {"MTU parity": _nodes_of(_mtus(seen)), "GID parity": _nodes_of(_gids(seen))}
    for what, nodes in told.items():
        if nodes < _PEERS:
            yield Unknown(what=what, why=f"{one} {nodes}")


GROUP = Group(
    title="Fabric",
    order=50,
    series=(
        Series(
            name="sparktune_fabric_mtu_bytes",
            help="MTU of a network device that has an RDMA device.",
            labels=("node", "device"),
            read=_mtus,
        ),
        Series(
            name="sparktune_fabric_mtu_parity",
            help="Whether all devices of the fabric that face each other have one MTU: 1 or 0.",
            read=_mtu_parity,
            alerts=(
                Alert(
                    name="SparktuneMtuDiffers",
                    expr="sparktune_fabric_mtu_parity == 0",
                    holds="5m",
                    severity="critical",
                    summary="nodes that face each other have different MTU: large transfers time out",
                    runbook="Which, and how to prove the fix: sparktune doctor",
                ),
            ),
            panel=Panel(
                title="MTU of peers",
                expr="sparktune_fabric_mtu_parity",
                shape=Shape.STAT,
                width=6,
                steps=_STEPS,
                words=_SAME,
            ),
        ),
        Series(
            name="sparktune_fabric_gid_index",
            help="Index of the GID that RoCE v2 over IPv4 can use, of each active port.",
            labels=("node", "device", "port"),
            read=_gids,
            panel=Panel(title="Usable GID index", expr="sparktune_fabric_gid_index", shape=Shape.TABLE, width=12),
        ),
        Series(
            name="sparktune_fabric_gid_parity",
            help="Whether the usable GID index is the same on all active ports of all nodes: 1 or 0.",
            read=_gid_parity,
            alerts=(
                Alert(
                    name="SparktuneGidIndexDiffers",
                    expr="sparktune_fabric_gid_parity == 0",
                    holds="15m",
                    severity="info",
                    summary="the usable GID index differs between ports: harmless while NCCL_IB_GID_INDEX is unset",
                    runbook="Whether it is pinned: sparktune doctor; leave it unset, NCCL 2.21 and later choose per "
                    "device",
                ),
            ),
            panel=Panel(
                title="GID index of ports",
                expr="sparktune_fabric_gid_parity",
                shape=Shape.STAT,
                width=6,
                steps=((0, "orange"), (1, "green")),
                words=_SAME,
            ),
        ),
    ),
    unknown=_unknown,
)
