"""Facts through the real agent: of this machine, and of a captured tree."""

import os
from pathlib import Path

from sparktune.host.facts import all_reads, read_facts
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.kernel import KernelFacts
from sparktune.host.facts.memory import MemoryFacts
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.session import NodeSession
from sparktune.model.node import NodeFacts


async def _facts(root: Path | None = None) -> NodeFacts:
    async with NodeSession(NodeTarget(name="here", root=root), limit_s=100) as session:
        return read_facts("here", await session.observe(all_reads()))


def _boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


async def test_this_machine() -> None:
    """Whatever machine runs the tests: its own files agree with what Python knows, and nothing is guessed."""
    node = await _facts()
    cpu, memory, kernel = node.get(CpuFacts), node.get(MemoryFacts), node.get(KernelFacts)

    assert cpu is not None
    assert len(cpu.online.value or ()) == os.sysconf("SC_NPROCESSORS_ONLN")
    assert sum(len(kind.cpus) for kind in cpu.types) == len(cpu.online.value or ())
    assert cpu.split.value or cpu.split.why
    if len(cpu.types) == 1:
        assert "there are no slower cores" in cpu.split.why
    assert memory is not None
    assert memory.total.value == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert kernel is not None
    assert kernel.release.value == os.uname().release
    assert kernel.boot_id.value == _boot_id()


async def test_a_captured_tree(tmp_path: Path) -> None:
    cpus = tmp_path / "sys/devices/system/cpu"
    for number, (part, capacity) in enumerate([(0xD87, 718), (0xD85, 1024), (0xD87, 731)]):
        registers = cpus / f"cpu{number}/regs/identification"
        registers.mkdir(parents=True)
        (registers / "midr_el1").write_text(f"0x{0x410F0001 | part << 4:016x}\n")
        (cpus / f"cpu{number}/cpu_capacity").write_text(f"{capacity}\n")
    (cpus / "online").write_text("0-2\n")

    node = await _facts(tmp_path)
    cpu, memory = node.get(CpuFacts), node.get(MemoryFacts)

    assert cpu is not None
    assert cpu.split.value is not None
    assert cpu.split.value.performance == frozenset({1})
    assert cpu.split.value.efficiency == frozenset({0, 2})
    assert memory is not None
    assert memory.available.value is None
