"""A fabric device that is up, has no IPv4 address, and should have one: a file or its peer says so."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.netplan import NetplanFacts
from sparktune.host.findings._shared import Found, cluster_rule, fabric_devices, profiles_of
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts
from sparktune.model.observed import State


def _judge(nodes: tuple[NodeFacts, ...]) -> Iterator[Found]:
    for node in nodes:
        for device in fabric_devices(node):
            if device.addresses.state is not State.PRESENT or device.ipv4 or device.carrier.value is False:
                continue
            reasons = [
                f"{other.node} has {peer.ipv4[0]} on its {peer.name}"
                for other in nodes
                for peer in fabric_devices(other)
                if other is not node and peer.name == device.name and peer.ipv4
            ]
            profiles = profiles_of(node, device.name)
            lasting = [one for one in profiles if one.survives and one.addresses]
            reasons += [f"{one.file} gives it {one.addresses[0]}" for one in lasting]
            lost = [one.file for one in profiles if not one.survives]
            if lost and not lasting:
                reasons.append(f"its profile {lost[0]} is gone after a restart")
            elif reasons and not lasting:
                reasons += [f"{file}, of a device not known here, is gone after a restart" for file in _volatile(node)]
            if reasons:
                yield Found(
                    node=node.node,
                    severity=Severity.ERROR,
                    evidence=f"{device.name} is up and has no IPv4 address, but {'; '.join(reasons)}",
                    hint=f"write addresses and mtu for {device.name} into a file of /etc/netplan (mode 600), then "
                    "netplan apply while nothing runs: it renumbers GIDs",
                )


def _volatile(node: NodeFacts) -> list[str]:
    """Return the files below /run of which nobody knows the device."""
    profiles = (node.get(NetplanFacts) or NetplanFacts()).profiles
    return [one.file for one in profiles if one.device is None and not one.survives]


FINDING = cluster_rule(
    "address-lost",
    title="A fabric device has lost its IPv4 address",
    why="Without the address there is no RoCE v2 GID, and the rail is dead or fails at the next start. Profiles that a "
    "tool wrote below /run do not survive a restart.",
    source="https://github.com/tonyd2wild/DeepSeek-v4-Flash-Vision-Exp-DSpark-1M-NVFP4-KV-2x-DGX-Spark issue 38; "
    "https://github.com/NVIDIA/daqiri issue 77",
    judge=_judge,
)
