"""Engines that talk to each other over Wi-Fi or another link than the fabric."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.netdev import NetdevFacts
from sparktune.host.findings._shared import Found, environments, fabric_devices, node_rule
from sparktune.host.nccl_selector import parse_selector
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts

_NAMES = ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "TP_SOCKET_IFNAME")
_HINT = (
    "bind NCCL_SOCKET_IFNAME, GLOO_SOCKET_IFNAME and TP_SOCKET_IFNAME to the fabric's device, and VLLM_HOST_IP to its "
    "address; Wi-Fi needs power saving off to stay"
)


def _judge(node: NodeFacts) -> Iterator[Found]:
    facts = node.get(NetdevFacts) or NetdevFacts()
    for environment in environments(node):
        for name in _NAMES:
            value = environment.variables.get(name)
            if not value:
                continue
            selector = parse_selector(value)
            chosen = [device for device in facts.devices if selector.selects(device.name) and device.ipv4]
            fabric = [device for device in fabric_devices(node) if selector.selects(device.name)]
            if not fabric and (chosen or fabric_devices(node)):
                wireless = any(device.wireless for device in chosen)
                yield Found(
                    severity=Severity.WARNING,
                    evidence=f"{environment.owner} sets {name}={value}: {'Wi-Fi' if wireless else 'not the fabric'}",
                    hint=_HINT,
                    file=environment.file,
                )
    for name in facts.default_routes.value or ():
        device = facts.device(name)
        if device is not None and device.wireless:
            yield Found(
                severity=Severity.WARNING,
                evidence=f"the default route goes over {name}, which is Wi-Fi",
                hint=_HINT,
            )


FINDING = node_rule(
    "control-on-wifi",
    title="The control path of engines, or of the node, is Wi-Fi",
    why="Serving over several nodes ends when that link drops, though the fabric is fine; a Spark's Wi-Fi is known to "
    "drop after hours with power saving on.",
    source="https://github.com/spark-arena/sparkrun/pull/219; jschmied/dgx-spark-setup-guide 10-operations.md",
    judge=_judge,
)
