"""Network devices as they are now: addresses, subnets, MTU, carrier, speed.

Source: ``ip -j addr`` and ``ip -j route`` of iproute2; Linux ``Documentation/ABI/testing/sysfs-class-net``.
"""

__all__ = ["SOURCE", "Address", "NetDevice", "NetdevFacts"]

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv4Network, IPv6Interface, IPv6Network, ip_interface
from typing import TypeVar

import msgspec

from sparktune.host.facts._shared import bounded_int, flag, output
from sparktune.model.node import FactSource
from sparktune.model.observed import Observed, absent, present, unreadable
from sparktune.model.reads import Read, ReadCommand, ReadFiles, Readings, ReadLinks, ReadNames

_T = TypeVar("_T")

_ROOT = "/sys/class/net"
_LEAVES = ("mtu", "carrier", "speed", "operstate", "phys_switch_id", "phys_port_name")
_ADDRESSES = ("ip", "-j", "addr", "show")
_ROUTES = ("ip", "-j", "route", "show", "default")
_MEGA = 1e6
_COLONS_OF_PCI = 2  # domain:bus:device.function


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
        """Whether it is IPv4 and reaches other machines: neither link-local nor loopback."""
        inner = self.interface
        return isinstance(inner, IPv4Interface) and not (inner.is_link_local or inner.is_loopback)

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


class _Said(msgspec.Struct):
    """One address as ``ip -j addr`` prints it; any field may be missing."""

    local: str = ""
    prefixlen: int | None = None


class _Device(msgspec.Struct):
    """One device as ``ip -j addr`` prints it; any field may be missing, and so may all of them."""

    ifname: str = ""
    flags: list[str] | None = None
    mtu: int | None = None
    addr_info: list[_Said] | None = None


class _Route(msgspec.Struct):
    dev: str = ""
    metric: int = 0


def _decoded(text: str, kind: type[list[_T]]) -> list[_T]:
    try:
        return msgspec.json.decode(text, type=kind) if text.strip() else []
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        message = f"not the JSON of ip: {error}"
        raise ValueError(message) from None


def _parse(readings: Readings) -> NetdevFacts:
    said = output(readings.command(*_ADDRESSES)).map(lambda text: _decoded(text, list[_Device]))
    by_name = {device.ifname: device for device in said.value or () if device.ifname}
    files: dict[str, dict[str, Observed[str]]] = {}
    for leaf in _LEAVES:
        for path, text in readings.matching(f"{_ROOT}/*/{leaf}").items():
            files.setdefault(path.split("/")[-2], {})[leaf] = text
    names = {path.rsplit("/", 1)[-1] for path in readings.names.get(f"{_ROOT}/*", ())}
    names.discard("bonding_masters")  # a file among the devices
    wireless = {path.split("/")[-2] for path in readings.names.get(f"{_ROOT}/*/wireless", ())}
    links = readings.links.get(f"{_ROOT}/*/device", {})
    why = said.why or "ip did not answer"
    return NetdevFacts(
        devices=tuple(
            _device(
                name,
                said=by_name.get(name),
                why=why if said.value is None else "ip does not name the device",
                files=files.get(name, {}),
                wireless=name in wireless,
                link=links.get(f"{_ROOT}/{name}/device", ""),
            )
            for name in sorted(names | files.keys() | by_name.keys())
        ),
        default_routes=output(readings.command(*_ROUTES)).map(_routes),
    )


def _device(
    name: str, *, said: _Device | None, why: str, files: Mapping[str, Observed[str]], wireless: bool, link: str
) -> NetDevice:
    flags = None if said is None else said.flags
    address = link.rstrip("/").rsplit("/", 1)[-1]

    def text(leaf: str) -> Observed[str]:
        return files.get(leaf, absent())

    return NetDevice(
        name=name,
        up=text("operstate").map(lambda state: state.strip() == "up") if flags is None else present("UP" in flags),
        carrier=text("carrier").map(flag) if flags is None else present("LOWER_UP" in flags),
        mtu=present(said.mtu) if said is not None and said.mtu is not None else text("mtu").map(bounded_int),
        speed_bit_s=_speed(text("speed")),
        addresses=unreadable(why) if said is None else _addresses(said),
        wireless=wireless,
        pci=present(address) if address.count(":") == _COLONS_OF_PCI else absent(),
        switch_id=_word(text("phys_switch_id")),
        port_name=_word(text("phys_port_name")),
    )


def _addresses(said: _Device) -> Observed[tuple[Address, ...]]:
    if said.addr_info is None:
        return unreadable("ip says nothing of its addresses")
    try:
        return present(
            tuple(
                Address(interface=ip_interface(one.local if one.prefixlen is None else f"{one.local}/{one.prefixlen}"))
                for one in said.addr_info
            ),
        )
    except ValueError as error:
        return unreadable(f"no address: {error}")


def _speed(text: Observed[str]) -> Observed[float]:
    """Return bits per second; the kernel says -1, or refuses to answer, without a link."""
    speed = text.map(bounded_int)
    if speed.value is None:
        return absent()
    return present(speed.value * _MEGA) if speed.value > 0 else absent()


def _word(text: Observed[str]) -> Observed[str]:
    """Return what a file says; ABSENT also where the driver refuses, as most do for ports and switches."""
    word = (text.value or "").strip()
    return present(word) if word else absent()


def _routes(text: str) -> tuple[str, ...]:
    routes = sorted((route for route in _decoded(text, list[_Route]) if route.dev), key=lambda route: route.metric)
    return tuple(dict.fromkeys(route.dev for route in routes))


_READS: tuple[Read, ...] = (
    ReadCommand(argv=_ADDRESSES),
    ReadCommand(argv=_ROUTES),
    ReadNames(pattern=f"{_ROOT}/*"),
    ReadNames(pattern=f"{_ROOT}/*/wireless"),
    ReadLinks(pattern=f"{_ROOT}/*/device"),
    *(ReadFiles(pattern=f"{_ROOT}/*/{leaf}") for leaf in _LEAVES),
)
SOURCE = FactSource(name="netdev", kind=NetdevFacts, reads=_READS, parse=_parse)
