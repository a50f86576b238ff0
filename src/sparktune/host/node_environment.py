"""What a container that is started by hand needs to know of its node: interfaces, RDMA devices, limits.

Every line has a reason; what is not known has no value, and its reason says why.

Sources: NCCL user guide, "Environment Variables" (``NCCL_SOCKET_IFNAME``, ``NCCL_IB_HCA`` and how their lists are read,
``NCCL_IB_GID_INDEX``: since 2.21 NCCL finds the GID of RoCE v2 and IPv4 by itself); PyTorch's Gloo and TensorPipe
(``GLOO_SOCKET_IFNAME``, ``TP_SOCKET_IFNAME``); vLLM 0.33.0, ``envs.py`` (``VLLM_HOST_IP``); libibverbs, which locks
memory and opens ``/dev/infiniband``.
"""

__all__ = ["ContainerOption", "NodeEnvironment", "Variable", "node_environment"]

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sparktune.host.facts.netdev import NetdevFacts, NetDevice
from sparktune.host.facts.rdma import RdmaDevice, RdmaFacts, usable_gid
from sparktune.host.roce_address import has_roce_address
from sparktune.model.node import NodeFacts
from sparktune.model.observed import State

_SOCKETS = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME")
_UNSET = (
    "left unset: NCCL 2.21 and later take RoCE v2 over IPv4 by themselves, for each device; an index differs between "
    "nodes and moves when addresses change, and an empty text would mean 0"
)

GidChoice = Literal["unset", "resolve"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """``value`` None: it is not to be set, and ``why`` says for what reason."""

    name: str
    value: str | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerOption:
    """Words for ``docker run``; empty where it is not to be given, and ``why`` says for what reason."""

    words: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeEnvironment:
    """All of it for one node; ``notes`` are what else is worth knowing before a start."""

    node: str
    variables: tuple[Variable, ...]
    options: tuple[ContainerOption, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rail:
    """An RDMA device with an address, and the network device that has it."""

    device: RdmaDevice
    netdev: NetDevice | None


def node_environment(node: NodeFacts, *, gid: GidChoice = "unset") -> NodeEnvironment:
    """Return what a container on this node should get. ``gid``: whether the index is left unset, or looked up."""
    devices = (node.get(RdmaFacts) or RdmaFacts()).devices
    rails, notes = _rails(node, devices)
    socket, why = _socket(node, rails)
    variables = [
        *(Variable(name=name, value=socket.name if socket else None, why=why) for name in _SOCKETS),
        _host_address(socket, why),
        _hca(rails, devices, notes),
        _gid_index(rails, gid),
    ]
    return NodeEnvironment(
        node=node.node,
        variables=tuple(variables),
        options=tuple(_options(bool(devices), bool(rails))),
        notes=tuple(notes),
    )


def _rails(node: NodeFacts, devices: tuple[RdmaDevice, ...]) -> tuple[list[_Rail], list[str]]:
    """Return the devices that RoCE can use, one of each subnet, and why the others are left out."""
    netdevs = node.get(NetdevFacts) or NetdevFacts()
    rails: list[_Rail] = []
    notes: list[str] = []
    subnets: dict[object, str] = {}
    for device in sorted(devices, key=_place):
        usable = has_roce_address(node, device)
        if not usable or _is_down(node, device):
            reason = (
                "its port is not up"
                if _is_down(node, device)
                else "it has no IPv4 address"
                if usable is False
                else ("whether it has an IPv4 address could not be read")
            )
            notes.append(f"{device.name} is left out: {reason}")
            continue
        netdev = next((one for name in device.netdevs if (one := netdevs.device(name)) is not None and one.ipv4), None)
        subnet = netdev.ipv4[0].subnet if netdev is not None else device.name
        if subnet in subnets:
            notes.append(f"{device.name} is left out: it is in the same subnet as {subnets[subnet]} ({subnet})")
            continue
        subnets[subnet] = device.name
        rails.append(_Rail(device=device, netdev=netdev))
    return rails, notes


def _place(device: RdmaDevice) -> tuple[str, str]:
    """Return the order in which devices are taken: by slot, so that nodes of one kind choose the same."""
    return device.pci.value or "~", device.name


def _is_down(node: NodeFacts, device: RdmaDevice) -> bool:
    """Whether a port is known to be down: it says so, or its network device has no carrier."""
    if device.ports and device.ports[0].state.value is not None:
        return not device.ports[0].active
    netdevs = node.get(NetdevFacts) or NetdevFacts()
    known = [found for name in device.netdevs if (found := netdevs.device(name)) is not None]
    return bool(known) and all(one.carrier.value is False or one.up.value is False for one in known)


def _socket(node: NodeFacts, rails: list[_Rail]) -> tuple[NetDevice | None, str]:
    """Return the interface that processes of several nodes talk over, and why it is that one."""
    rail = next((one for one in rails if one.netdev is not None), None)
    if rail is not None and rail.netdev is not None:
        address = rail.netdev.ipv4[0]
        return (
            rail.netdev,
            f"the fabric: {address} on {rail.netdev.name}, with {rail.device.name}; on every node one of that subnet",
        )
    facts = node.get(NetdevFacts)
    if facts is None or not facts.devices:
        return None, "unknown: the network devices of this node could not be read"
    if facts.default_routes.state is not State.PRESENT:
        return None, "unknown: no fabric device has an address, and the default route could not be read"
    wired = [
        one
        for name in facts.default_routes.value or ()
        if (one := facts.device(name)) is not None and one.ipv4 and not one.wireless
    ]
    if not wired:
        return None, "unknown: no fabric device has an IPv4 address, and no wired one has the default route"
    return wired[0], "no fabric device has an IPv4 address: this is the wired one of the default route"


def _host_address(socket: NetDevice | None, why: str) -> Variable:
    if socket is None:
        return Variable(name="VLLM_HOST_IP", value=None, why=why)
    address = str(socket.ipv4[0].interface.ip)
    return Variable(name="VLLM_HOST_IP", value=address, why=f"the address of {socket.name}, which other nodes reach")


def _hca(rails: list[_Rail], devices: tuple[RdmaDevice, ...], notes: list[str]) -> Variable:
    if not devices:
        return Variable(name="NCCL_IB_HCA", value=None, why="unknown: no RDMA device was seen on this node")
    if not rails:
        return Variable(name="NCCL_IB_HCA", value=None, why=f"none can be used: {'; '.join(notes)}")
    names = [rail.device.name for rail in rails]
    # NCCL takes entries as beginnings of names, so that one may select more than it names
    begun = [one.name for one in devices if one.name not in names and any(one.name.startswith(name) for name in names)]
    exact = "=" if begun else ""
    why = "RDMA devices that are up and have an IPv4 address"
    return Variable(name="NCCL_IB_HCA", value=exact + ",".join(names), why=why)


def _gid_index(rails: list[_Rail], choice: GidChoice) -> Variable:
    name = "NCCL_IB_GID_INDEX"
    if choice == "unset":
        return Variable(name=name, value=None, why=_UNSET)
    if not rails:
        return Variable(name=name, value=None, why="unknown: no RDMA device can be used")
    found = {rail.device.name: usable_gid(rail.device.ports[0]) if rail.device.ports else None for rail in rails}
    missing = [device for device, entry in found.items() if entry is None]
    if missing:
        why = f"unknown: the GID table of {', '.join(missing)} could not be read"
        return Variable(name=name, value=None, why=why)
    told = ", ".join(f"{device} {entry.index} ({entry.ipv4})" for device, entry in found.items() if entry)
    indexes = {entry.index for entry in found.values() if entry}
    if len(indexes) > 1:
        return Variable(
            name=name, value=None, why=f"left unset: it is one value for all devices, and theirs differ: {told}"
        )
    why = f"RoCE v2 over IPv4 as it is now: {told}; look it up again at every start"
    return Variable(name=name, value=str(indexes.pop()), why=why)


def _options(seen: bool, usable: bool) -> Iterator[ContainerOption]:  # noqa: FBT001 - both are told apart by name
    yield ContainerOption(words=("--network", "host"), why="interfaces and RDMA devices are those of the node")
    if seen:
        what = "RDMA locks memory" if usable else "RDMA locks memory, once a device can be used"
        yield ContainerOption(words=("--ulimit", "memlock=-1:-1"), why=f"{what}; the default of a few MiB fails")
        yield ContainerOption(
            words=("--device", "/dev/infiniband"), why="without it NCCL falls back to sockets silently"
        )
    else:
        yield ContainerOption(words=(), why="no --device /dev/infiniband and no memlock: no RDMA device was seen")
