"""An RDMA device in use whose port is up but has no address: ACTIVE is not enough."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.rdma import RdmaDevice
from sparktune.host.findings._shared import Found, environments, ib_devices, node_rule
from sparktune.host.roce_address import has_roce_address
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts


def _judge(node: NodeFacts) -> Iterator[Found]:
    for environment in environments(node):
        if "NCCL_IB_HCA" not in environment.variables:
            continue
        devices = ib_devices(node, environment)
        good = [device for device in devices if has_roce_address(node, device)]
        for device in devices:
            if has_roce_address(node, device) is not False:
                continue
            yield Found(
                severity=Severity.ERROR,
                evidence=f"{environment.owner} uses {device.name} (NCCL_IB_HCA={environment.variables['NCCL_IB_HCA']}),"
                f" {_state(device)}",
                hint=_hint(device, good),
                file=environment.file,
            )


def _state(device: RdmaDevice) -> str:
    up = "whose port is ACTIVE but has" if device.ports[0].active else "whose port has"
    return f"{up} no IPv4 address, and so no RoCE v2 GID of one"


def _hint(device: RdmaDevice, good: list[RdmaDevice]) -> str:
    netdev = device.netdevs[0] if device.netdevs else "its network device"
    address = f"give {netdev} an address in a subnet of its own, with the same MTU, on every node"
    if not good:
        return address
    names = ",".join(one.name for one in good)
    return f"either set NCCL_IB_HCA={names}, or {address}"


FINDING = node_rule(
    "hca-without-gid",
    title="NCCL_IB_HCA names a device without an IPv4 GID",
    why="A port with carrier but without an IPv4 address has no RoCE v2 GID of it: queue pairs on it fail with error "
    "61, and tools that choose devices by ACTIVE alone choose it.",
    source="https://github.com/Mjxkill/deepseek-v4-flash-2x-dgx-spark README, trap 3; "
    "https://github.com/spark-arena/sparkrun scripts/ib_detect.sh",
    judge=_judge,
)
