"""An MTU that was set by hand: the next restart takes it back."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.findings._shared import Found, fabric_devices, lasting_profiles, node_rule
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts

_USUAL = 1500


def _judge(node: NodeFacts) -> Iterator[Found]:
    for device in fabric_devices(node):
        profiles = lasting_profiles(node, device.name)
        if profiles is None or device.mtu.value is None:
            continue
        promised = {profile.mtu.value for profile in profiles if profile.mtu.value is not None}
        if (device.mtu.value == _USUAL and not promised) or device.mtu.value in promised:
            continue
        said = f"{profiles[0].file} says {min(promised)}" if promised else "no file that survives a restart sets it"
        yield Found(
            severity=Severity.WARNING,
            evidence=f"{device.name} has MTU {device.mtu.value} now, but {said}",
            hint=f"write mtu: {max(promised or {device.mtu.value})} for {device.name} into a file of /etc/netplan "
            "(mode 600) on every node; netplan apply renumbers GIDs, so apply it while nothing runs",
            file=profiles[0].file if promised else None,
        )


FINDING = node_rule(
    "mtu-not-persistent",
    title="A fabric device's MTU is not what its files say",
    why="A firmware update or a restart brings back what the files say, on one node, weeks later.",
    source="https://github.com/NVIDIA/daqiri issue 77; "
    "https://github.com/tonyd2wild/DeepSeek-v4-Flash-Vision-Exp-DSpark-1M-NVFP4-KV-2x-DGX-Spark issue 38",
    judge=_judge,
)
