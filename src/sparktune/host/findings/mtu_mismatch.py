"""Devices that face each other with different MTU: small messages pass, large ones time out."""

__all__ = ["FINDING"]

from collections.abc import Iterator
from itertools import combinations

from sparktune.host.facts.netdev import NetDevice
from sparktune.host.findings._shared import Found, cluster_rule, fabric_devices
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts

_HEADERS = 28  # of IPv4 and ICMP, which ping's -s does not count


def _judge(nodes: tuple[NodeFacts, ...]) -> Iterator[Found]:
    for here, there in combinations(nodes, 2):
        for one in fabric_devices(here):
            for other in fabric_devices(there):
                if one.mtu.value and other.mtu.value and one.mtu.value != other.mtu.value and _face(one, other):
                    low, node, name = min(
                        (one.mtu.value, here.node, one.name), (other.mtu.value, there.node, other.name)
                    )
                    yield Found(
                        severity=Severity.ERROR,
                        evidence=f"{here.node} {one.name} has MTU {one.mtu.value}, {there.node} {other.name} has MTU "
                        f"{other.mtu.value}",
                        hint=f"on {node}: raise {name} from {low}, live and in its netplan file, then prove it "
                        f"both ways: ping -M do -s {max(one.mtu.value, other.mtu.value) - _HEADERS} PEER",
                    )


def _face(one: NetDevice, other: NetDevice) -> bool:
    """Whether two devices are peers: in one subnet, or of one name while one of them has lost its address."""
    if one.ipv4 and other.ipv4:
        return bool({address.subnet for address in one.ipv4} & {address.subnet for address in other.ipv4})
    carried = one.carrier.value is not False and other.carrier.value is not False
    return one.name == other.name and carried


FINDING = cluster_rule(
    "mtu-mismatch",
    title="Peers of the fabric have different MTU",
    why="The side with the larger MTU sends frames that the other drops: large transfers end in "
    "IBV_WC_RETRY_EXC_ERR (12), while pings and short messages work. Firmware updates reset a live MTU.",
    source="https://github.com/tonyd2wild/DeepSeek-v4-Flash-Vision-Exp-DSpark-1M-NVFP4-KV-2x-DGX-Spark issue 38, "
    "pull request 40",
    judge=_judge,
)
