"""Several tenants on one GPU and one pool of memory."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.facts.gpu import GpuFacts, GpuProcess
from sparktune.host.facts.processes import ProcessFacts
from sparktune.host.findings._shared import Found, node_rule
from sparktune.host.words import join
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts
from sparktune.units import format_bytes

# A desktop holds about 60 MiB; a tenant that computes holds gigabytes.
_LARGE = 1024**3


def _judge(node: NodeFacts) -> Iterator[Found]:
    facts = node.get(GpuFacts)
    processes = (node.get(ProcessFacts) or ProcessFacts()).processes
    tenant = {one.pid: one.container or one.unit or f"{one.engine} {one.pid}" for one in processes}
    on_gpu = (facts.processes.value or ()) if facts is not None else ()
    tenants: dict[str, list[GpuProcess]] = {}
    for process in on_gpu:
        tenants.setdefault(tenant.get(process.pid, f"{process.name} {process.pid}"), []).append(process)
    large = [found for found in tenants.values() if sum(one.memory.value or 0 for one in found) >= _LARGE]
    if len(large) > 1:
        yield Found(
            severity=Severity.WARNING,
            evidence=f"{len(large)} tenants hold memory of the GPU: {join(_named(found) for found in large)}",
            hint="stop all but one before measuring; an engine that was killed can leave a process behind that holds "
            "its memory",
        )
    foreign = [one for one in on_gpu if one.pid not in tenant and (one.memory.value or 0) < _LARGE]
    if foreign:
        yield Found(
            severity=Severity.INFO,
            evidence=f"{len(foreign)} other processes use the GPU: {join(_named([one]) for one in foreign)}",
            hint="a desktop is not needed for serving: systemctl set-default multi-user.target ends it at next boot",
        )


def _named(found: list[GpuProcess]) -> str:
    memory = sum(one.memory.value or 0 for one in found)
    size = f" {format_bytes(memory)}" if any(one.memory.value is not None for one in found) else ""
    return f"{found[0].name} (pid {found[0].pid}){size}"


FINDING = node_rule(
    "gpu-shared",
    title="Several tenants share the GPU",
    why="They share one pool of memory and its bandwidth: 15 tok/s became 4 to 6 with a second engine beside it.",
    source="https://al-engr.com/spark-config-rethink.html; "
    "https://github.com/Blackwellboy/model-serving-minefield trap 123",
    judge=_judge,
)
