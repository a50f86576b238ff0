"""A fabric address that no lasting file gives: it is there until the next restart."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.findings._shared import Found, fabric_devices, lasting_profiles, node_rule
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(node: NodeFacts) -> Iterator[Found]:
    for device in fabric_devices(node):
        profiles = lasting_profiles(node, device.name)
        if profiles is None or not device.ipv4:
            continue
        promised = {address for profile in profiles for address in profile.addresses}
        if any(profile.dhcp4 for profile in profiles):
            continue
        for address in device.ipv4:
            if str(address) not in promised:
                yield Found(
                    severity=Severity.WARNING,
                    evidence=f"{device.name} has {address} now, but no file that survives a restart gives it",
                    hint="write it into a file of /etc/netplan (mode 600), together with the MTU",
                )


FINDING = node_rule(
    "address-not-persistent",
    title="A fabric address is in no lasting file",
    why="After the next restart the address is gone, and with it the GID that RDMA needs.",
    source="https://github.com/tonyd2wild/DeepSeek-v4-Flash-Vision-Exp-DSpark-1M-NVFP4-KV-2x-DGX-Spark issue 38",
    judge=_judge,
)
