"""The network of a GB10: four functions of one ConnectX-7, two of them cabled, each with addresses and a GID table.

Sources: Linux Documentation/ABI/stable/sysfs-class-infiniband; names and PCI addresses from NVIDIA's documents for DGX
Spark. The rails are in subnets of their own, 192.168.177.0/24 and 192.168.178.0/24.
"""

__all__ = ["Rail", "fabric_tree", "rails"]

from dataclasses import dataclass
from typing import Final

import msgspec

from sparktune.host.lab.tree import NodeTree, merge

_SLOTS: Final = 8
_USUAL_MTU: Final = 1500


@dataclass(frozen=True, slots=True, kw_only=True)
class Rail:
    """One function of the adapter; ``address`` None for one without a cable. ``gid`` is where its RoCE v2 address is.

    ``mtu`` is the live one; files promise 9000.
    """

    rdma: str
    netdev: str
    pci: str
    port: str
    address: str | None = None
    mtu: int = 9000
    gid: int = 3


def rails(last: int) -> tuple[Rail, ...]:
    """Return the four functions of a node whose addresses end in ``last``."""
    return (
        Rail(rdma="rocep1s0f0", netdev="enp1s0f0np0", pci="0000:01:00.0", port="p0", mtu=_USUAL_MTU),
        Rail(rdma="rocep1s0f1", netdev="enp1s0f1np1", pci="0000:01:00.1", port="p1", address=f"192.168.177.{last}"),
        Rail(rdma="roceP2p1s0f0", netdev="enP2p1s0f0np0", pci="0002:01:00.0", port="p0", mtu=_USUAL_MTU),
        Rail(rdma="roceP2p1s0f1", netdev="enP2p1s0f1np1", pci="0002:01:00.1", port="p1", address=f"192.168.178.{last}"),
    )


def fabric_tree(fabric: tuple[Rail, ...], *, last: int) -> NodeTree:
    """Return the devices of the fabric, a wired one for ssh with the default route, and what files promise."""
    devices = [_ip_device(rail.netdev, rail.address, rail.mtu) for rail in fabric]
    wired = _ip_device("enP7s7", f"10.0.0.{last}", _USUAL_MTU)
    loopback = _ip_device("lo", "127.0.0.1", 65_536)
    up = [rail for rail in fabric if rail.address is not None]
    netplan = "network:\n  version: 2\n  ethernets:\n" + "".join(
        f"    {rail.netdev}:\n      addresses: [{rail.address}/24]\n      mtu: 9000\n" for rail in up
    )
    files = {
        "/etc/netplan/01-wired.yaml": "network:\n  version: 2\n  ethernets:\n    enP7s7:\n      dhcp4: true\n",
        "/etc/netplan/40-cx7.yaml": netplan,
        "/sys/class/net/enP7s7/operstate": "up\n",
        "/sys/class/net/enP7s7/mtu": f"{_USUAL_MTU}\n",
        "/sys/class/net/lo/mtu": "65536\n",
    }
    commands = {
        ("ip", "-j", "addr", "show"): msgspec.json.encode([loopback, wired, *devices]).decode() + "\n",
        ("ip", "-j", "route", "show", "default"): '[{"dst":"default","dev":"enP7s7","metric":100}]\n',
    }
    return merge(NodeTree(files=files, commands=commands), *(_rail_tree(rail) for rail in fabric))


def _ip_device(name: str, address: str | None, mtu: int) -> dict[str, object]:
    up = address is not None
    info = [{"family": "inet", "local": address, "prefixlen": 24}] if up else []
    return {
        "ifname": name,
        "flags": ["BROADCAST", "MULTICAST", "UP", "LOWER_UP"] if up else ["NO-CARRIER", "BROADCAST", "UP"],
        "mtu": mtu,
        "operstate": "UP" if up else "DOWN",
        "addr_info": info,
    }


def _rail_tree(rail: Rail) -> NodeTree:
    up = rail.address is not None
    function = f"/sys/devices/pci{rail.pci[:7]}/{rail.pci}"
    net, rdma = f"/sys/class/net/{rail.netdev}", f"/sys/class/infiniband/{rail.rdma}"
    port = f"{rdma}/ports/1"
    values = {
        f"{function}/net/{rail.netdev}/address": "02:00:00:00:00:01",
        f"{net}/mtu": rail.mtu,
        f"{net}/carrier": int(up),
        f"{net}/operstate": "up" if up else "down",
        f"{net}/speed": 200_000 if up else -1,
        f"{net}/phys_switch_id": "0200000000000a00",
        f"{net}/phys_port_name": rail.port,
        f"{rdma}/fw_ver": "28.45.4028",
        f"{port}/state": "4: ACTIVE" if up else "1: DOWN",
        f"{port}/phys_state": "5: LinkUp" if up else "3: Disabled",
        f"{port}/rate": "200 Gb/sec (2X NDR)" if up else "40 Gb/sec (4X QDR)",
        f"{port}/link_layer": "Ethernet",
        f"{port}/counters/port_xmit_data": 48_000_000_000 if up else 0,
        f"{port}/counters/port_rcv_data": 48_000_000_000 if up else 0,
    }
    target = f"../../..{function.removeprefix('/sys')}"
    links = {f"{rdma}/device": target, f"{net}/device": target}
    return NodeTree(files={path: f"{value}\n" for path, value in (values | _gids(rail, port)).items()}, links=links)


def _gids(rail: Rail, port: str) -> dict[str, object]:
    """Return the table: link-local v1 and v2 first, then the address as v1 before its own slot as v2."""
    used = {0: (_link_local(rail), "IB/RoCE v1"), 1: (_link_local(rail), "RoCE v2")}
    if rail.address is not None:
        used |= {2: (_mapped(rail.address), "IB/RoCE v1"), rail.gid: (_mapped(rail.address), "RoCE v2")}
    files: dict[str, object] = {f"{port}/gids/{index}": _group(0) for index in range(_SLOTS)}
    for index, (address, kind) in used.items():
        files[f"{port}/gids/{index}"] = address
        files[f"{port}/gid_attrs/types/{index}"] = kind
        files[f"{port}/gid_attrs/ndevs/{index}"] = rail.netdev
    return files


def _link_local(rail: Rail) -> str:
    return _group((0xFE80 << 112) | 0x0200_00FF_FE00_0000 | (int(rail.pci[3]) << 8) | int(rail.pci[-1]))


def _mapped(address: str) -> str:
    number = int.from_bytes(bytes(int(part) for part in address.split(".")))
    return _group((0xFFFF << 32) | number)


def _group(value: int) -> str:
    digits = f"{value:032x}"
    return ":".join(digits[start : start + 4] for start in range(0, 32, 4))
