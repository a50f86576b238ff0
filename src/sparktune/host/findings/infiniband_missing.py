"""A container that should use RDMA and was not given the devices of it; a bind mount is not enough."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.containers import ContainerFacts
from sparktune.host.findings._shared import Found, node_rule, wants_rdma
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts

_DEVICES = "/dev/infiniband"


def _judge(node: NodeFacts) -> Iterator[Found]:
    for container in (node.get(ContainerFacts) or ContainerFacts()).containers:
        given = any(device.startswith(_DEVICES) for device in container.devices)
        if (
            given
            or container.privileged
            or not container.complete
            or not wants_rdma(container.environment, container.command)
        ):
            continue
        mounted = any(mount.startswith(_DEVICES) for mount in container.mounts)
        only = ": a bind mount shows the files, but the device cgroup refuses to open them" if mounted else ""
        yield Found(
            severity=Severity.ERROR,
            evidence=f"{'service' if container.declared_in else 'container'} {container.name} has NCCL or tensor "
            f"parallelism over nodes configured and no {_DEVICES} under devices{only}",
            hint=f"add to the service: devices: [{_DEVICES}:{_DEVICES}], ulimits: {{memlock: -1}}, and "
            "cap_add: [IPC_LOCK] when it does not run as root; then recreate the container",
            file=container.declared_in,
        )


FINDING = node_rule(
    "infiniband-missing",
    title="A container has no RDMA devices",
    why="NCCL finds no device and uses sockets without a word; the rate of decoding hardly shows it, the time to the "
    "first token doubles.",
    source="https://github.com/NVIDIA/nvidia-container-toolkit/issues/2037; "
    "https://github.com/heitor-mocelin/dgx-spark-research 2xAsusGx10/results",
    judge=_judge,
)
