"""A limit on locked memory that is too small for RDMA: NCCL falls back to sockets, or fails to register memory."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.containers import Container, ContainerFacts
from sparktune.host.facts.processes import ProcessFacts
from sparktune.host.findings._shared import Found, node_rule, wants_rdma
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts
from sparktune.model.observed import State
from sparktune.units import format_bytes

# Buffers of NCCL and of an engine's transfers are gigabytes; the kernel's and Docker's usual limits are far below.
_TOO_SMALL = 1024**3
_HINT = (
    "set it to unlimited: in compose ulimits: {memlock: -1} (the key is ulimits), in systemd LimitMEMLOCK=infinity; "
    "then recreate the container, a restart keeps the old limit"
)


def _judge(node: NodeFacts) -> Iterator[Found]:
    live: set[str] = set()
    for process in (node.get(ProcessFacts) or ProcessFacts()).processes:
        limit = process.memlock_bytes.value
        if process.container and (limit is not None or process.unlimited_memlock):
            live.add(process.container)
        if limit is None or limit >= _TOO_SMALL or not wants_rdma(process.environment, process.command):
            continue
        yield Found(
            severity=Severity.ERROR,
            evidence=f"process {process.pid} ({process.engine} {process.role}) may lock {format_bytes(limit)}",
            hint=_HINT,
        )
    for container in (node.get(ContainerFacts) or ContainerFacts()).containers:
        if container.id not in live and wants_rdma(container.environment, container.command) and _small(container):
            limit = container.memlock_bytes.value
            said = (
                "sets no limit on locked memory: Docker's default" if limit is None else f"allows {format_bytes(limit)}"
            )
            yield Found(
                severity=Severity.ERROR,
                evidence=f"{'service' if container.declared_in else 'container'} {container.name} {said}",
                hint=_HINT,
                file=container.declared_in,
            )


def _small(container: Container) -> bool:
    limit = container.memlock_bytes
    if container.unlimited_memlock or limit.state is State.UNREADABLE:
        return False
    if limit.value is None and not container.complete:
        return False
    return limit.value is None or limit.value < _TOO_SMALL


FINDING = node_rule(
    "memlock-small",
    title="Too little memory may be locked for RDMA",
    why="ibv_reg_mr fails with 'cannot allocate memory', and NCCL goes on over sockets without a word. Docker's "
    "default is what its daemon has, usually 8 MiB.",
    source="https://github.com/vllm-project/vllm/pull/42075; NCCL user guide, troubleshooting: RDMA",
    judge=_judge,
)
