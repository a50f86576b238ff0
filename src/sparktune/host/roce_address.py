"""Whether an RDMA device can be used by RoCE v2 over IPv4: a port that is up is not enough."""

__all__ = ["has_roce_address"]

from sparktune.host.facts.netdev import NetdevFacts
from sparktune.host.facts.rdma import RdmaDevice, usable_gid
from sparktune.model.node import NodeFacts
from sparktune.model.observed import State


def has_roce_address(node: NodeFacts, device: RdmaDevice) -> bool | None:
    """Tell whether RoCE v2 has an address: by the GID table, else by those of the network device; None for unknown."""
    if device.ports and device.ports[0].slots:
        return usable_gid(device.ports[0]) is not None
    netdevs = node.get(NetdevFacts) or NetdevFacts()
    known = [found for name in device.netdevs if (found := netdevs.device(name)) is not None]
    if any(one.ipv4 for one in known):
        return True
    return False if known and all(one.addresses.state is State.PRESENT for one in known) else None
