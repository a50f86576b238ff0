"""Loose files of reports about network and engines - ip, RDMA, GIDs, containers, logs - written on a ``CaseNode``.

Source of names: systemd.net-naming-scheme(7) (``enP2p1s0f1np1``: PCI domain 2, bus 1, slot 0, function 1, physical
port p1); rdma-core's renaming (``roceP2p1s0f1``: the same PCI function).
"""

__all__ = [
    "complete_fabric",
    "compose",
    "containers",
    "engine_log",
    "environment",
    "gid_table",
    "ip_addresses",
    "ip_links",
    "netplan_listing",
    "nodes_of_gid_table",
    "rdma_netdevs",
    "rdma_states",
    "variables_of",
]

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sparktune.host.compose import services_of
from sparktune.host.environment import kept_environment
from sparktune.host.facts.containers import Container, ContainerFacts
from sparktune.host.facts.netplan import NetplanFacts, Profile
from sparktune.host.nccl_log import NcclLogFacts, read_nccl_log
from sparktune.io.case_node import CaseNode

_IB = "/sys/class/infiniband"
_NET = "/sys/class/net"
_BR_LINE = re.compile(
    r"(?P<name>[A-Za-z][\w.-]*)(?:@\S+)?\s+(?P<state>UP|DOWN|UNKNOWN)(?P<rest>(?:\s+\S+)*)\s*", re.ASCII
)
_LINK = re.compile(r"\d+: (?P<name>[^:@\s]+)(?:@\S+)?: <(?P<flags>[A-Z0-9_,-]*)> mtu (?P<mtu>\d{1,6})\b", re.ASCII)
_RDMA_NETDEV = re.compile(r"(?P<rdma>\S+) port (?P<port>\d{1,3}) ==> (?P<netdev>\S+) \((?P<state>Up|Down)\)", re.ASCII)
_RDMA_STATE = re.compile(r"(?P<rdma>\S+) port (?P<port>\d{1,3}) state (?P<state>[A-Z]+)", re.ASCII)
_GID = re.compile(r"(?P<index>\d{1,4})\s+(?P<gid>[0-9a-fA-F:]{2,39})\s+(?P<kind>.+)", re.ASCII)
_GID_PORT = re.compile(rf"{_IB}/(?P<rdma>[^/\s]+)/ports/(?P<port>\d{{1,3}})/")
_NODE_HEADING = re.compile(r"#\s*(?P<node>[A-Za-z][\w-]*)\s*")
_STATE_NUMBERS = {"DOWN": 1, "INIT": 2, "ARMED": 3, "ACTIVE": 4}
# The functions of a GB10's ConnectX-7: a report that shows only their network devices means these.
_GB10_FABRIC = re.compile(r"en(?P<at>(?:P2)?p1s0f[01])n(?P<port>p[01])")
_NO_CONTENT = "only its name is known"


def ip_addresses(node: CaseNode, text: str, _file: str) -> None:
    """Read lines of ``ip -br addr``: name, state, addresses."""
    for line in text.splitlines():
        found = _BR_LINE.fullmatch(line.strip())
        if not found:
            continue
        device = node.device(found["name"])
        if found["state"] == "UP":
            device.setdefault("flags", ["UP", "LOWER_UP"])
        device["operstate"] = found["state"]
        pairs = (word.partition("/") for word in found["rest"].split() if "." in word or ":" in word)
        device["addr_info"] = [{"local": local, "prefixlen": int(length or -1)} for local, _, length in pairs]


def ip_links(node: CaseNode, text: str, _file: str) -> None:
    """Read lines of ``ip link``: flags and MTU."""
    for line in text.splitlines():
        found = _LINK.match(line.strip())
        if found:
            device = node.device(found["name"])
            device["flags"] = found["flags"].split(",")
            device["mtu"] = int(found["mtu"])


def rdma_netdevs(node: CaseNode, text: str, _file: str) -> None:
    """Read lines of ``ibdev2netdev``; Up and Down are those of the network device, whose link the RDMA port has."""
    for found in _RDMA_NETDEV.finditer(text):
        node.files[f"{_IB}/{found['rdma']}/device/net/{found['netdev']}/operstate"] = ""
        _set_state(node, found["rdma"], found["port"], "ACTIVE" if found["state"] == "Up" else "DOWN")
        node.files[f"{_NET}/{found['netdev']}/operstate"] = f"{found['state'].lower()}\n"


def rdma_states(node: CaseNode, text: str, _file: str) -> None:
    """Read lines that give the state of RDMA ports."""
    for found in _RDMA_STATE.finditer(text):
        _set_state(node, found["rdma"], found["port"], found["state"])


def nodes_of_gid_table(text: str) -> tuple[str, ...]:
    """Return the nodes that headings of a listing name."""
    headings = (_NODE_HEADING.fullmatch(line.strip()) for line in text.splitlines())
    return tuple(dict.fromkeys(found["node"] for found in headings if found))


def gid_table(node: CaseNode, text: str, _file: str) -> None:
    """Read a listing of one port's GIDs: index, GID, type; headings name port and node."""
    port = _GID_PORT.search(text)
    if port is None:
        return
    base = f"{_IB}/{port['rdma']}/ports/{port['port']}"
    nodes = nodes_of_gid_table(text)
    current = node.name if node.name not in nodes else ""
    for line in text.splitlines():
        heading, entry = _NODE_HEADING.fullmatch(line.strip()), _GID.fullmatch(line.strip())
        if heading:
            current = heading["node"]
        elif entry and current == node.name:
            node.files[f"{base}/gids/{entry['index']}"] = f"{entry['gid']}\n"
            if entry["kind"].strip() != "-":
                node.files[f"{base}/gid_attrs/types/{entry['index']}"] = f"{entry['kind'].strip()}\n"


def complete_fabric(node: CaseNode) -> None:
    """Write what names alone say: the port of a network device, and a GB10's RDMA devices where no file lists any."""
    listed = any(path.startswith(f"{_IB}/") for path in node.files)
    known = [path.split("/")[4] for path in node.files if path.startswith(f"{_NET}/")]
    for name in dict.fromkeys((*node.devices, *known)):
        found = _GB10_FABRIC.fullmatch(name)
        if not found:
            continue
        node.files.setdefault(f"{_NET}/{name}/phys_port_name", f"{found['port']}\n")
        if not listed:
            node.files[f"{_IB}/roce{found['at']}/device/net/{name}/operstate"] = ""


def netplan_listing(node: CaseNode, text: str, _file: str) -> None:
    """Read a list of configuration files; ``(only NAME)`` behind one says which device it is about."""
    profiles: list[Profile] = []
    for line in text.splitlines():
        path, _, remark = line.strip().partition(" ")
        if not path.startswith("/"):
            continue
        only = re.search(r"\(only (?P<device>[\w.-]+)\)", remark)
        profiles.append(
            Profile(
                file=path,
                device=only["device"] if only else None,
                survives=not path.startswith("/run/"),
                complete=False,
            ),
        )
    problems = tuple((profile.file, _NO_CONTENT) for profile in profiles)
    node.facts[NetplanFacts] = NetplanFacts(profiles=tuple(profiles), problems=problems)


def containers(node: CaseNode, text: str, _file: str) -> None:
    """Read what ``docker inspect`` printed."""
    node.outputs["docker", "inspect"] = text


def variables_of(text: str) -> dict[str, str]:
    """Return the variables of an env file: NAME=VALUE lines, quotes around a value removed."""
    variables: dict[str, str] = {}
    for line in text.splitlines():
        name, sign, value = line.strip().removeprefix("export ").partition("=")
        if sign and re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
            plain = value.strip()
            quoted = len(plain) > 1 and plain[0] == plain[-1] and plain[0] in "\"'"
            variables[name] = plain[1:-1] if quoted else plain
    return variables


def environment(node: CaseNode, text: str, file: str) -> None:
    """Read the environment of an engine."""
    kept = kept_environment(variables_of(text))
    if kept:
        _add(
            node,
            Container(id="", name=file, image="", declared_in=file, running=False, environment=kept, complete=False),
        )


def compose(node: CaseNode, text: str, file: str, variables: Mapping[str, str]) -> None:
    """Read the services of a compose file. Raises ValueError when it is none."""
    for service in services_of(text, file, variables):
        _add(node, service)


def engine_log(node: CaseNode, text: str, file: str) -> None:
    """Read NCCL's lines in an engine's log."""
    facts: NcclLogFacts = node.facts.get(NcclLogFacts, NcclLogFacts())
    node.facts[NcclLogFacts] = replace(facts, logs=(*facts.logs, read_nccl_log(text, file)))


def _add(node: CaseNode, container: Container) -> None:
    facts: Any = node.facts.get(ContainerFacts, ContainerFacts())
    node.facts[ContainerFacts] = replace(facts, containers=(*facts.containers, container))


def _set_state(node: CaseNode, rdma: str, port: str, state: str) -> None:
    number = _STATE_NUMBERS.get(state, 0)
    node.files[f"{_IB}/{rdma}/ports/{port}/state"] = f"{number}: {state}\n"
