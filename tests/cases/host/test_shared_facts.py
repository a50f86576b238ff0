"""Facts of real and reported machines: captured data beside the repository."""

import csv

from tests.support.shared import shared
from tests.support.trees import readings_of_text, readings_of_tree

from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts import all_sources, read_facts
from sparktune.host.facts.cpu import SOURCE as CPU
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.cpufreq import CpufreqFacts
from sparktune.host.facts.gpu import SOURCE as GPU
from sparktune.host.facts.interrupts import SOURCE as INTERRUPTS
from sparktune.host.facts.kernel import KernelFacts
from sparktune.host.facts.kernel_log import SOURCE as KERNEL_LOG
from sparktune.host.facts.memory import SOURCE as MEMORY
from sparktune.host.facts.memory import MemoryFacts
from sparktune.model.node import NodeFacts
from sparktune.model.reads import CommandOutput

_GIB = 1024**3


def _gb10() -> NodeFacts:
    root = shared("samples/gb10/hwloc-gb10-sysfs")
    reads = [read for source in all_sources() for read in source.reads]
    return read_facts("spark", readings_of_tree(root, reads))


def test_the_cores_of_a_real_gb10() -> None:
    cpu = _gb10().get(CpuFacts)

    assert cpu is not None
    assert cpu.platform.value == "GB10"
    split = cpu.split.value
    assert split is not None
    assert format_cpulist(split.performance) == "5-9,15-19"
    assert format_cpulist(split.efficiency) == "0-4,10-14"
    assert [kind.name for kind in cpu.types] == ["Cortex-X925", "Cortex-A725"]
    assert cpu.smt.value is False
    assert cpu.siblings == ()
    assert [(format_cpulist(one.cpus), one.size.value) for one in cpu.l3] == [("0-9", 8 * 2**20), ("10-19", 16 * 2**20)]
    assert [format_cpulist(one) for one in cpu.clusters] == ["0-9", "10-19"]


def test_the_rest_of_a_real_gb10() -> None:
    node = _gb10()
    frequency, memory, kernel = node.get(CpufreqFacts), node.get(MemoryFacts), node.get(KernelFacts)

    assert frequency is not None
    assert len(frequency.policies) == 20
    assert {policy.governor.value for policy in frequency.policies} == {"performance"}
    assert {policy.auto_select.value for policy in frequency.policies} == {True}
    assert {policy.boost.value for policy in frequency.policies} == {False}
    assert memory is not None
    assert memory.total.value == 125_508_468 * 1024
    assert memory.cma_total.value == 131_072 * 1024
    assert kernel is not None
    assert kernel.release.value == "6.17.0-1014-nvidia"
    assert kernel.bios_version.value == "5.36_0ACUM018"
    assert "init_on_alloc=0" in (kernel.arguments.value or ())


def test_case_01_five_frequency_classes_are_two_types() -> None:
    folder = shared("cases/01-gb10-five-frequency-classes")
    texts = {"/proc/cpuinfo": (folder / "cpuinfo.txt").read_text(), "/sys/devices/system/cpu/online": "0-19"}
    with (folder / "sysfs_cpu.csv").open() as table:
        for row in csv.DictReader(table):
            cpu = f"/sys/devices/system/cpu/cpu{row['cpu']}"
            texts[f"{cpu}/cpufreq/cpuinfo_max_freq"] = row["cpuinfo_max_freq_khz"]
            texts[f"{cpu}/topology/thread_siblings_list"] = row["thread_siblings_list"]
            texts[f"{cpu}/topology/cluster_cpus_list"] = row["cluster_cpus_list"]

    facts = CPU.parse(readings_of_text(CPU.reads, texts))

    assert facts.platform.value == "GB10"
    assert format_cpulist(facts.split.value.performance) == "5-9,15-19"
    assert format_cpulist(facts.split.value.efficiency) == "0-4,10-14"
    assert facts.smt.value is False
    assert facts.siblings == ()
    assert [format_cpulist(one) for one in facts.clusters] == ["0-9", "10-19"]


def test_case_06_driver_without_memory_beside_22_gib_available() -> None:
    folder = shared("cases/06-meminfo-says-22GiB-driver-says-no-memory")
    log = CommandOutput(stdout=(folder / "kernel.log").read_text(), stderr="", code=0)

    memory = MEMORY.parse(readings_of_text(MEMORY.reads, {"/proc/meminfo": (folder / "meminfo.txt").read_text()}))
    lines = KERNEL_LOG.parse(readings_of_text(KERNEL_LOG.reads, {}, commands={"journalctl": log}))

    assert memory.available.value == 22 * _GIB
    assert memory.free.value == 1.25 * _GIB
    assert lines.no_memory.value.count == 3
    assert lines.memdesc.value.count == 3
    assert "10:21:07" in lines.no_memory.value.first
    assert "10:21:09" in lines.no_memory.value.last
    assert lines.oom_kills.value.count == 0


def test_case_07_more_free_cma_than_there_is() -> None:
    folder = shared("cases/07-kernel-7-cma-regression")

    facts = MEMORY.parse(
        readings_of_text(MEMORY.reads, {"/proc/meminfo": (folder / "meminfo_excerpt.txt").read_text()})
    )

    assert facts.cma_total.value == 0
    assert facts.cma_free.value == 940_604 * 1024
    assert facts.free.value == 88 * _GIB


def test_a_synthetic_table_of_interrupts_with_20_columns() -> None:
    """The only one there is: hand-made around the interrupt numbers of a real GB10."""
    text = shared("samples/gb10/synthetic/proc-interrupts.txt").read_text()

    facts = INTERRUPTS.parse(readings_of_text(INTERRUPTS.reads, {"/proc/interrupts": text}))

    assert facts.cpus == tuple(range(20))
    found = facts.interrupts.value
    assert sum(interrupt.name.startswith("mlx5_") for interrupt in found) == 84
    assert all(len(interrupt.counts) == 20 for interrupt in found)


def test_a_gb10_has_no_memory_figure_at_nvidia_smi() -> None:
    row = shared("samples/gb10/nvidia-smi-query-memory-total.csv").read_text().splitlines()[-1]
    name, _, driver, memory = row.split(", ")
    cells = ["0", name, "0000000F:01:00.0", driver, "[N/A]", "P8", "32", "0", "4.5", "[N/A]", "208", "3003", memory]
    result = CommandOutput(stdout=", ".join(cells) + "\n", stderr="", code=0)

    facts = GPU.parse(readings_of_text(GPU.reads, {}, commands={"nvidia-smi --query-gpu=index,name": result}))

    (gpu,) = facts.gpus.value
    assert gpu.name.value == "NVIDIA GB10"
    assert gpu.memory_total.value is None
    assert facts.driver.value == "580.159.03"
