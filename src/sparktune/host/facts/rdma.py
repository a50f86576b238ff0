"""RDMA devices: where they sit, whether their links are up, and which GID a RoCE connection can use.

Source: Linux ``Documentation/ABI/stable/sysfs-class-infiniband`` (ports, gids, gid_attrs, counters).
"""

__all__ = ["ROCE_V2", "SOURCE", "Gid", "RdmaDevice", "RdmaFacts", "RdmaPort", "usable_gid"]

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from sparktune.host.facts._shared import bounded_int
from sparktune.model.node import FactSource
from sparktune.model.observed import Observed, absent, present, unreadable
from sparktune.model.reads import ReadFiles, Readings, ReadLinks, ReadNames
from sparktune.units import Bytes

ROCE_V2 = "RoCE v2"

_ROOT = "/sys/class/infiniband"
_PORTS = f"{_ROOT}/*/ports/*"
_NETDEVS = f"{_ROOT}/*/device/net/*"
_DEVICES = f"{_ROOT}/*/device"
_FILES = (
    f"{_ROOT}/*/fw_ver",
    *(f"{_PORTS}/{leaf}" for leaf in ("state", "phys_state", "rate", "link_layer")),
    *(f"{_PORTS}/counters/{leaf}" for leaf in ("port_xmit_data", "port_rcv_data")),
    *(f"{_PORTS}/{leaf}/*" for leaf in ("gids", "gid_attrs/types", "gid_attrs/ndevs")),
)
_SWITCH_IDS = "/sys/class/net/*/phys_switch_id"
_PORT_NAMES = "/sys/class/net/*/phys_port_name"

_PORT_PATH = re.compile(rf"{_ROOT}/(?P<device>[^/]+)/ports/(?P<port>[0-9]{{1,3}})(?:/|$)")
_PCI = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", re.IGNORECASE)
_STATE = re.compile(r"\d+:\s*(?P<name>\w[\w ]*)", re.ASCII)
_RATE = re.compile(r"(?P<number>\d{1,6}(?:\.\d{1,3})?) Gb/sec", re.ASCII)
_EMPTY = IPv6Address(0)
_GIGA = 1e9
_BYTES_PER_COUNT = 4  # the counters count words of 32 bits


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

    @property
    def routable_ipv4(self) -> bool:
        """Whether it stands for an IPv4 address that somebody gave the port: not 169.254.0.0/16, not 0.0.0.0."""
        inner = self.ipv4
        return inner is not None and not (inner.is_link_local or inner.is_unspecified or inner.is_loopback)


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
    usable = (gid for gid in port.gids if gid.kind.value == ROCE_V2 and gid.routable_ipv4)
    return min(usable, key=lambda gid: gid.index, default=None)


def _parse(readings: Readings) -> RdmaFacts:
    names = {device_path.rsplit("/", 1)[-1] for device_path in readings.names.get(f"{_ROOT}/*", ())}
    files: dict[str, dict[str, Observed[str]]] = {}
    for pattern in _FILES:
        for path, text in readings.matching(pattern).items():
            device, _, rest = path.removeprefix(f"{_ROOT}/").partition("/")
            files.setdefault(device, {})[rest] = text
    ports: dict[str, set[int]] = {}
    for path in (*readings.names.get(_PORTS, ()), *(path for p in _FILES for path in readings.matching(p))):
        found = _PORT_PATH.match(path)
        if found:
            ports.setdefault(found["device"], set()).add(int(found["port"]))
    every = sorted(names | files.keys() | ports.keys())
    return RdmaFacts(
        devices=tuple(_device(name, sorted(ports.get(name, ())), files.get(name, {}), readings) for name in every),
    )


def _device(name: str, numbers: list[int], files: Mapping[str, Observed[str]], readings: Readings) -> RdmaDevice:
    ports = tuple(_port(number, files) for number in numbers)
    beginning = f"{_ROOT}/{name}/device/net/"
    netdevs = {path[len(beginning) :] for path in readings.names.get(_NETDEVS, ()) if path.startswith(beginning)}
    if not netdevs:  # the GID table names them too
        netdevs = {gid.netdev.value for port in ports for gid in port.gids if gid.netdev.value}
    target = readings.links.get(_DEVICES, {}).get(f"{_ROOT}/{name}/device", "")
    address = target.rstrip("/").rsplit("/", 1)[-1]
    switches, labels = readings.matching(_SWITCH_IDS), readings.matching(_PORT_NAMES)
    first = min(netdevs, default="")
    return RdmaDevice(
        name=name,
        netdevs=tuple(sorted(netdevs)),
        pci=present(address) if _PCI.fullmatch(address) else absent(),
        firmware=_word(files.get("fw_ver", absent())),
        switch_id=_word(switches.get(f"/sys/class/net/{first}/phys_switch_id", absent())),
        port_name=_word(labels.get(f"/sys/class/net/{first}/phys_port_name", absent())),
        ports=ports,
    )


def _port(number: int, files: Mapping[str, Observed[str]]) -> RdmaPort:
    at = f"ports/{number}/"

    def text(leaf: str) -> Observed[str]:
        return files.get(at + leaf, absent())

    gids: list[Gid] = []
    slots: set[int] = set()
    for rest, address in files.items():
        index = rest.removeprefix(f"{at}gids/")
        if index == rest or not index.isdecimal():
            continue
        parsed = address.map(lambda value: IPv6Address(value.strip()))
        if parsed.value is None:
            continue
        slots.add(int(index))
        if parsed.value != _EMPTY:
            kind, netdev = text(f"gid_attrs/types/{index}"), text(f"gid_attrs/ndevs/{index}")
            gids.append(Gid(index=int(index), address=parsed.value, kind=_word(kind), netdev=_word(netdev)))
    return RdmaPort(
        number=number,
        state=text("state").map(_state),
        phys_state=text("phys_state").map(_state),
        rate_bit_s=text("rate").map(_rate),
        link_layer=_word(text("link_layer")),
        gids=tuple(sorted(gids, key=lambda gid: gid.index)),
        slots=frozenset(slots),
        sent=text("counters/port_xmit_data").map(_counted),
        received=text("counters/port_rcv_data").map(_counted),
    )


def _word(text: Observed[str]) -> Observed[str]:
    """Return the text without its line end; ABSENT when nothing is left of it."""
    word = text.map(str.strip)
    return absent() if word.value == "" else word


def _state(text: str) -> str:
    """Return the name of ``4: ACTIVE``."""
    found = _STATE.fullmatch(text.strip())
    if found is None:
        message = f"no port state: {text.strip()[:80]!r}"
        raise ValueError(message)
    return found["name"]


def _rate(text: str) -> float:
    """Return bits per second of ``200 Gb/sec (2X NDR)``."""
    found = _RATE.match(text.strip())
    if found is None:
        message = f"no rate: {text.strip()[:80]!r}"
        raise ValueError(message)
    return float(found["number"]) * _GIGA


def _counted(text: str) -> Bytes:
    count = bounded_int(text)
    if count < 0:
        message = f"no counter: {text.strip()[:80]!r}"
        raise ValueError(message)
    return count * _BYTES_PER_COUNT


SOURCE = FactSource(
    name="rdma",
    kind=RdmaFacts,
    reads=(
        ReadNames(pattern=f"{_ROOT}/*"),
        ReadNames(pattern=_PORTS),
        ReadNames(pattern=_NETDEVS),
        ReadLinks(pattern=_DEVICES),
        *(ReadFiles(pattern=pattern) for pattern in (*_FILES, _SWITCH_IDS, _PORT_NAMES)),
    ),
    parse=_parse,
)
