"""Network devices as they are now: addresses, subnets, MTU, carrier, speed.

Source: ``ip -j addr`` and ``ip -j route`` of iproute2; Linux ``Documentation/ABI/testing/sysfs-class-net``.
"""

__all__ = ["Address", "NetDevice", "NetdevFacts"]

from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv4Network, IPv6Interface, IPv6Network

from sparktune.model.observed import Observed, absent


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """One address with its prefix length."""

    interface: IPv4Interface | IPv6Interface

    @property
    def subnet(self) -> IPv4Network | IPv6Network:
        """The network that it lies in."""
        return self.interface.network

    @property
    def is_ipv4(self) -> bool:
        """Whether it is IPv4 and reaches other machines: link-local ones do not count."""
        return isinstance(self.interface, IPv4Interface) and not self.interface.is_link_local

    def __str__(self) -> str:
        return str(self.interface)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetDevice:
    """One network device. ``addresses`` is empty and PRESENT when it has none, UNREADABLE when nobody could say.

    ``speed_bit_s`` is ABSENT without a link. ``pci``, ``switch_id`` and ``port_name`` are ABSENT for devices that are
    not hardware.
    """

    name: str
    up: Observed[bool]
    carrier: Observed[bool]
    mtu: Observed[int]
    speed_bit_s: Observed[float] = absent()
    addresses: Observed[tuple[Address, ...]]
    wireless: bool = False
    pci: Observed[str] = absent()
    switch_id: Observed[str] = absent()
    port_name: Observed[str] = absent()

    @property
    def ipv4(self) -> tuple[Address, ...]:
        """The IPv4 addresses that reach other machines; empty also when the addresses could not be read."""
        return tuple(address for address in self.addresses.value or () if address.is_ipv4)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetdevFacts:
    """All network devices of a node, by name; ``default_routes`` are the devices of its default routes."""

    devices: tuple[NetDevice, ...] = ()
    default_routes: Observed[tuple[str, ...]] = absent()

    def device(self, name: str) -> NetDevice | None:
        """Return a device by its name."""
        return next((device for device in self.devices if device.name == name), None)
