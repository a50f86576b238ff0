"""An interface that processes of several nodes are to talk over, and that has no address on this node."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.netdev import NetdevFacts, NetDevice
from sparktune.host.findings._shared import Found, environments, fabric_devices, node_rule
from sparktune.host.nccl_selector import parse_selector
from sparktune.host.words import join
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts
from sparktune.model.observed import State

_NAMES = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME")


def _judge(node: NodeFacts) -> Iterator[Found]:
    facts = node.get(NetdevFacts)
    if facts is None or not any(one.addresses.state is State.PRESENT for one in facts.devices):
        return
    for environment in environments(node):
        for name in _NAMES:
            value = environment.variables.get(name)
            if not value:
                continue
            chosen = [one for one in facts.devices if parse_selector(value).selects(one.name)]
            if not chosen and facts.default_routes.state is not State.PRESENT:
                continue  # an excerpt, which may not tell of all interfaces
            if any(one.ipv4 or one.addresses.state is not State.PRESENT for one in chosen):
                continue
            yield Found(
                severity=Severity.ERROR,
                evidence=f"{environment.owner} sets {name}={value}: {_state(chosen)}",
                hint=_hint(node, name),
                file=environment.file,
            )


def _state(chosen: list[NetDevice]) -> str:
    if not chosen:
        return "there is no such interface on this node"
    down = all(one.up.value is False or one.carrier.value is False for one in chosen)
    return f"{join(one.name for one in chosen)} has no IPv4 address" + (" and is down" if down else "")


def _hint(node: NodeFacts, name: str) -> str:
    good = [one for one in fabric_devices(node) if one.ipv4]
    if not good:
        return f"set {name} to an interface of this node that has an address the other nodes reach"
    named = join(f"{one.name} ({one.ipv4[0]})" for one in good)
    return f"set {name} to the interface with the fabric's address: {named}; every node has its own"


FINDING = node_rule(
    "socket-without-address",
    title="An interface for processes of several nodes has no address",
    why="Gloo and NCCL look for its address at start and end without one (ifa != nullptr). A "
    "default of the kind ${GLOO_SOCKET_IFNAME:-...} does not help where the variable is set.",
    source="https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/issues/4; "
    "PyTorch Gloo, transport/tcp/device.cc; NCCL user guide, NCCL_SOCKET_IFNAME",
    judge=_judge,
)
