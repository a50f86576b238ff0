"""What is known of a node, in a few lines; what is not known is left out, or said to be unknown where it is missed."""

__all__ = ["is_untold", "node_lines"]

from collections.abc import Iterator

from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.containers import ContainerFacts
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.gpu import Gpu, GpuFacts
from sparktune.host.facts.kernel import KernelFacts
from sparktune.host.facts.memory import MemoryFacts
from sparktune.host.facts.netdev import NetdevFacts
from sparktune.host.facts.processes import InferenceProcess, ProcessFacts
from sparktune.host.facts.rdma import RdmaDevice, RdmaFacts, usable_gid
from sparktune.host.facts.thermal import ThermalFacts
from sparktune.model.node import NodeFacts
from sparktune.units import format_bytes, format_percent

_MHZ, _GIGA = 1e6, 1e9


def node_lines(node: NodeFacts) -> Iterator[str]:
    """Yield the node's name with its CPUs, then a line each for system, memory, GPU, fabric device and inference."""
    yield f"{node.node}: {_cpus(node.get(CpuFacts))}"
    yield from (f"  {line}" for line in (_system(node.get(KernelFacts)), _memory(node.get(MemoryFacts))) if line)
    yield from (f"  {line}" for line in _gpus(node.get(GpuFacts), node.get(ThermalFacts)))
    yield from (f"  {line}" for line in _fabric(node))
    yield from (f"  {line}" for line in _inference(node))


def is_untold(node: NodeFacts) -> bool:
    """Tell whether a node says neither which CPUs nor how much memory it has: then silence is no good news."""
    cpu, memory = node.get(CpuFacts), node.get(MemoryFacts)
    return (cpu is None or not cpu.types) and (memory is None or memory.available.value is None)


def _cpus(cpu: CpuFacts | None) -> str:
    if cpu is None or not cpu.types:
        return "CPUs unknown"
    words = [cpu.platform.value] if cpu.platform.value else []
    words += [f"{len(kind.cpus)} x {kind.name} ({format_cpulist(kind.cpus)})" for kind in cpu.types]
    if cpu.smt.value is not None:
        words.append("SMT" if cpu.smt.value else "no SMT")
    split = cpu.split.value
    if split is not None:
        performance, efficiency = format_cpulist(split.performance), format_cpulist(split.efficiency)
        words.append(f"performance {performance}, efficiency {efficiency}")
    return ", ".join(words)


def _system(kernel: KernelFacts | None) -> str:
    if kernel is None:
        return ""
    named = (("kernel", kernel.release), ("BIOS", kernel.bios_version), ("runc", kernel.runc), ("", kernel.os))
    return ", ".join(f"{name} {value.value}".strip() for name, value in named if value.value is not None)


def _memory(memory: MemoryFacts | None) -> str:
    if memory is None or memory.available.value is None:
        return "memory unknown"
    said = f"memory {format_bytes(memory.available.value)} available"
    if memory.total.value is not None:
        said += f" of {format_bytes(memory.total.value)}"
    if memory.swap_total.value is not None and memory.swap_free.value is not None:
        said += f", swap {format_bytes(memory.swap_total.value - memory.swap_free.value)} used"
    return said


def _gpus(gpu: GpuFacts | None, thermal: ThermalFacts | None) -> Iterator[str]:
    zones = [
        zone.temperature.value for zone in (thermal.zones if thermal else ()) if zone.temperature.value is not None
    ]
    if zones:
        yield f"hottest of {len(zones)} thermal zones {max(zones):.0f} C"
    driver = f", driver {gpu.driver.value}" if gpu is not None and gpu.driver.value else ""
    for one in (gpu.gpus.value or ()) if gpu is not None else ():
        yield f"GPU {one.index} {', '.join(_gpu(one))}{driver}"


def _gpu(gpu: Gpu) -> Iterator[str]:
    yield gpu.name.value or "unknown"
    if gpu.utilization.value is not None:
        yield f"{format_percent(gpu.utilization.value)} busy"
    if gpu.sm_clock_hz.value is not None:
        yield f"{gpu.sm_clock_hz.value / _MHZ:.0f} MHz"
    if gpu.temperature.value is not None:
        yield f"{gpu.temperature.value:.0f} C"
    if gpu.power.value is not None:
        yield f"{gpu.power.value:.0f} W"


def _fabric(node: NodeFacts) -> Iterator[str]:
    netdevs = node.get(NetdevFacts) or NetdevFacts()
    for device in (node.get(RdmaFacts) or RdmaFacts()).devices:
        yield f"{device.name} {', '.join(_rdma(device, netdevs))}"


def _rdma(device: RdmaDevice, netdevs: NetdevFacts) -> Iterator[str]:
    for port in device.ports:
        yield port.state.value or "state unknown"
        if port.active and port.rate_bit_s.value is not None:
            yield f"{port.rate_bit_s.value / _GIGA:.0f} Gb/s"
        gid = usable_gid(port)
        if gid is not None:
            yield f"RoCE v2 GID {gid.index} ({gid.ipv4})"
    for name in device.netdevs:
        netdev = netdevs.device(name)
        mtu = f" MTU {netdev.mtu.value}" if netdev is not None and netdev.mtu.value is not None else ""
        yield f"{name}{mtu}"


def _inference(node: NodeFacts) -> Iterator[str]:
    processes = (node.get(ProcessFacts) or ProcessFacts()).processes
    known = {one.id: one.name for one in (node.get(ContainerFacts) or ContainerFacts()).containers}
    groups: dict[str, list[InferenceProcess]] = {}
    for process in processes:
        name = known.get(process.container or "")
        groups.setdefault(f"container {name}" if name else process.unit or "started by hand", []).append(process)
    for name, found in groups.items():
        roles = ", ".join(dict.fromkeys(f"{one.engine} {one.role}" for one in found))
        allowed = {
            format_cpulist(thread.allowed.value) for one in found for thread in one.threads if thread.allowed.value
        }
        cores = f", CPUs {' or '.join(sorted(allowed))}" if allowed else ""
        yield f"inference in {name}: {roles}{cores}"
