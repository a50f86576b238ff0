"""What nodes of one cluster should have in common, as one text per node: versions, firmware, images, clocks. Pure."""

__all__ = ["ALIKE", "clock_words", "governor_words", "kernel_of"]

from collections import Counter
from collections.abc import Callable
from typing import Final

from sparktune.host.facts.containers import ContainerFacts
from sparktune.host.facts.cpufreq import CpufreqFacts
from sparktune.host.facts.gpu import GpuFacts
from sparktune.host.facts.kernel import KernelFacts
from sparktune.host.facts.rdma import RdmaFacts
from sparktune.host.words import join
from sparktune.model.node import NodeFacts

_MHZ = 1e6


def kernel_of(node: NodeFacts) -> str:
    """Return the kernel's release; empty when it is not known."""
    kernel = node.get(KernelFacts)
    return (kernel.release.value or "") if kernel is not None else ""


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


def clock_words(node: NodeFacts) -> str:
    """Return the highest clocks of CPUs and GPUs that are set now; empty when none is known."""
    facts, gpu = node.get(CpufreqFacts), node.get(GpuFacts)
    limits = [policy.max_hz.value for policy in (facts.policies if facts is not None else ())]
    gpus = (gpu.gpus.value or ()) if gpu is not None else ()
    known = {float(value) for value in (*limits, *(one.max_sm_clock_hz.value for one in gpus)) if value is not None}
    return join(f"{value / _MHZ:.0f} MHz" for value in sorted(known))


def governor_words(node: NodeFacts) -> str:
    """Return the frequency governors of all CPUs, each with how many have it; empty when that is not known."""
    facts = node.get(CpufreqFacts)
    counts = Counter(policy.governor.value or "" for policy in (facts.policies if facts is not None else ()))
    return "" if "" in counts else join(f"{name} ({times} CPUs)" for name, times in sorted(counts.items()))


ALIKE: Final[tuple[tuple[str, Callable[[NodeFacts], str]], ...]] = (
    ("kernel", kernel_of),
    ("GPU driver", _driver),
    ("BIOS", _bios),
    ("embedded controller", _embedded_controller),
    ("updatable firmware", _firmware),
    ("network firmware", _nic_firmware),
    ("runc", _runc),
    ("engine image", _images),
    ("highest clocks", clock_words),
)
