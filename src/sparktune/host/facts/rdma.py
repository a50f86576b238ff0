"""RDMA devices: where they sit, whether their links are up, and which GID a RoCE connection can use.

Source: Linux ``Documentation/ABI/stable/sysfs-class-infiniband`` (ports, gids, gid_attrs, counters).
"""

__all__ = ["Gid", "RdmaDevice", "RdmaFacts", "RdmaPort", "usable_gid"]

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from sparktune.model.observed import Observed, absent, present, unreadable
from sparktune.units import Bytes

ROCE_V2 = "RoCE v2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gid:
    """One used slot of a GID table: ``kind`` as the kernel writes it (``IB/RoCE v1``, ``RoCE v2``)."""

    index: int
    address: IPv6Address
    kind: Observed[str]
    netdev: Observed[str]

    @property
    def ipv4(self) -> IPv4Address | None:
        """The IPv4 address that the GID stands for, or None."""
        return self.address.ipv4_mapped

    @property
    def link_local(self) -> bool:
        """Whether no other machine can be reached by it: fe80::/10, or 169.254.0.0/16 mapped."""
        inner = self.ipv4
        return self.address.is_link_local if inner is None else inner.is_link_local


@dataclass(frozen=True, slots=True, kw_only=True)
class RdmaPort:
    """One port: ``state`` is ACTIVE, DOWN, INIT ...; ``phys_state`` is LinkUp, Disabled ...

    ``sent`` and ``received`` are bytes since the counters began. ``gids`` are the used slots, by index; ``slots`` are
    the indexes that were read, used or empty.
    """

    number: int
    state: Observed[str]
    phys_state: Observed[str]
    rate_bit_s: Observed[float]
    link_layer: Observed[str]
    gids: tuple[Gid, ...] = ()
    slots: frozenset[int] = frozenset()
    sent: Observed[Bytes]
    received: Observed[Bytes]

    @property
    def active(self) -> bool:
        """Whether the port is known to be ACTIVE."""
        return self.state.value == "ACTIVE"

    def gid(self, index: int) -> Observed[Gid]:
        """Return the GID of a slot: ABSENT when the slot is empty, UNREADABLE when it was not read."""
        for gid in self.gids:
            if gid.index == index:
                return present(gid)
        return absent() if index in self.slots else unreadable(f"GID slot {index} was not read")


@dataclass(frozen=True, slots=True, kw_only=True)
class RdmaDevice:
    """One RDMA device, its network devices and its PCI address.

    ``switch_id`` and ``port_name`` are those of its network device: two devices with the same pair are twins, two
    PCI functions of one physical port.
    """

    name: str
    netdevs: tuple[str, ...]
    pci: Observed[str]
    firmware: Observed[str]
    switch_id: Observed[str]
    port_name: Observed[str]
    ports: tuple[RdmaPort, ...]

    def twin_of(self, other: "RdmaDevice") -> bool:
        """Whether both are known to share one physical port."""
        mine = (self.switch_id.value, self.port_name.value)
        return self.name != other.name and None not in mine and mine == (other.switch_id.value, other.port_name.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class RdmaFacts:
    """All RDMA devices of a node, by name."""

    devices: tuple[RdmaDevice, ...] = ()

    def device(self, name: str) -> RdmaDevice | None:
        """Return a device by its name."""
        return next((device for device in self.devices if device.name == name), None)


def usable_gid(port: RdmaPort) -> Gid | None:
    """Return the GID that RoCE v2 over IPv4 can use: never v1, never link-local; None when the port has none.

    When several can be used it is the one with the lowest index.
    """
    usable = (gid for gid in port.gids if gid.kind.value == ROCE_V2 and gid.ipv4 is not None and not gid.link_local)
    return min(usable, key=lambda gid: gid.index, default=None)
