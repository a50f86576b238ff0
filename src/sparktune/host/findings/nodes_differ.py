"""Nodes that should be alike and are not: kernel, driver, firmware, runc, engine images, frequency settings."""

__all__ = ["FINDING"]

from collections.abc import Callable, Iterator
from typing import Final

from sparktune.host.facts.containers import ContainerFacts
from sparktune.host.facts.cpufreq import CpufreqFacts
from sparktune.host.facts.gpu import GpuFacts
from sparktune.host.facts.kernel import KernelFacts
from sparktune.host.facts.rdma import RdmaFacts
from sparktune.host.findings._shared import Found, cluster_rule, join, kernel_of
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts

_HINT = "bring the nodes to one version before comparing or blaming anything; updates go to all nodes, or to none"

_MHZ = 1e6


def _driver(node: NodeFacts) -> str:
    gpu = node.get(GpuFacts)
    return (gpu.driver.value or "") if gpu is not None else ""


def _bios(node: NodeFacts) -> str:
    kernel = node.get(KernelFacts)
    return (kernel.bios_version.value or "") if kernel is not None else ""


def _embedded_controller(node: NodeFacts) -> str:
    kernel = node.get(KernelFacts)
    return (kernel.ec_version.value or "") if kernel is not None else ""


def _firmware(node: NodeFacts) -> str:
    kernel = node.get(KernelFacts)
    entries = kernel.firmware if kernel is not None else ()
    if not entries or any(one.kind.value is None or one.version.value is None for one in entries):
        return ""
    return join(sorted(f"{(one.kind.value or '')[:8]} {one.version.value:#x}" for one in entries))


def _nic_firmware(node: NodeFacts) -> str:
    devices = (node.get(RdmaFacts) or RdmaFacts()).devices
    return join(sorted({device.firmware.value for device in devices if device.firmware.value is not None}))


def _runc(node: NodeFacts) -> str:
    kernel = node.get(KernelFacts)
    return (kernel.runc.value or "") if kernel is not None else ""


def _images(node: NodeFacts) -> str:
    containers = (node.get(ContainerFacts) or ContainerFacts()).containers
    running = [one for one in containers if one.engine is not None and one.running and one.declared_in is None]
    if any(one.image_id.value is None for one in running):
        return ""
    return join(sorted({f"{one.image} {(one.image_id.value or '')[:19]}" for one in running}))


def _clocks(node: NodeFacts) -> str:
    facts, gpu = node.get(CpufreqFacts), node.get(GpuFacts)
    limits = [policy.max_hz.value for policy in (facts.policies if facts is not None else ())]
    gpus = (gpu.gpus.value or ()) if gpu is not None else ()
    known = {float(value) for value in (*limits, *(one.max_sm_clock_hz.value for one in gpus)) if value is not None}
    return join(f"{value / _MHZ:.0f} MHz" for value in sorted(known))


_LOOKED_AT: Final[tuple[tuple[str, Callable[[NodeFacts], str]], ...]] = (
    ("kernel", kernel_of),
    ("GPU driver", _driver),
    ("BIOS", _bios),
    ("embedded controller", _embedded_controller),
    ("updatable firmware", _firmware),
    ("network firmware", _nic_firmware),
    ("runc", _runc),
    ("engine image", _images),
    ("highest clocks", _clocks),
)


def _judge(nodes: tuple[NodeFacts, ...]) -> Iterator[Found]:
    for what, read in _LOOKED_AT:
        values = {node.node: value for node in nodes if (value := read(node))}
        if len(set(values.values())) > 1:
            listed = ", ".join(f"{node} {value}" for node, value in values.items())
            yield Found(severity=Severity.WARNING, evidence=f"{what}: {listed}", hint=_HINT)


FINDING = cluster_rule(
    "nodes-differ",
    title="Nodes of one cluster are not alike",
    why="An engine over several nodes goes as fast as the slowest one; an update on one node only has cost RDMA "
    "registration (kernel), half the bandwidth of the fabric (firmware) and container confinement (runc).",
    source="https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/issues/259; "
    "https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash docs/01; "
    "https://github.com/opencontainers/runc issue 4814",
    judge=_judge,
)
