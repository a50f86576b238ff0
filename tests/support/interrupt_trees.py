"""The interrupts of a GB10 as files: numbers and names by upstream's drivers, no capture of a machine.

Four ConnectX functions of 21 vectors (one for events, one per CPU; ``mlx5_irq_name`` in the kernel's pci_irq.c), 16
of an NVMe disk (admin queue and one queue per CPU that it has room for, managed), one of the GPU and one of the Wi-Fi.
"""

__all__ = ["FUNCTIONS", "GPU", "NVME", "WIFI", "gb10_interrupts", "interrupt_files", "more_interrupts"]

from collections.abc import Iterable, Mapping

FUNCTIONS = ("0000:01:00.0", "0000:01:00.1", "0002:01:00.0", "0002:01:00.1")
GPU = "000f:01:00.0"
NVME = "0004:01:00.0"
WIFI = "0009:01:00.0"
_CPUS = 20
_COMPLETIONS = 20
_QUEUES = 15
_VENDORS = {GPU: "0x10de", NVME: "0x144d", WIFI: "0x14c3"} | dict.fromkeys(FUNCTIONS, "0x15b3")
_CLASSES = {GPU: "0x030000", NVME: "0x010802", WIFI: "0x028000"} | dict.fromkeys(FUNCTIONS, "0x020000")

Row = tuple[int, str, str, str, str]  # IRQ, PCI address, name, requested list, effective list


def gb10_interrupts(first: int = 378) -> dict[str, str]:
    """Return the files of all 102 vectors, which begin with IRQ ``first``."""
    rows: list[tuple[str, str, str, str]] = [(NVME, "nvme0q0", "0-19", "0")]
    rows += [(NVME, f"nvme0q{queue + 1}", str(queue), str(queue)) for queue in range(_QUEUES)]
    for function in FUNCTIONS:
        rows.append((function, f"mlx5_async0@pci:{function}", "0-19", "0"))
        rows += [(function, f"mlx5_comp{cpu}@pci:{function}", str(cpu), str(cpu)) for cpu in range(_COMPLETIONS)]
    rows += [(GPU, "nvidia", "0-19", "7"), (WIFI, "mt7925e", "0-19", "2")]
    return interrupt_files((first + place, *row) for place, row in enumerate(rows))


def interrupt_files(rows: Iterable[Row]) -> dict[str, str]:
    """Return /proc/interrupts, /proc/irq and the vectors of the PCI devices for rows of interrupts."""
    files = {"/proc/irq/default_smp_affinity": "fffff\n"}
    table = ["           " + "".join(f"CPU{cpu:<8}" for cpu in range(_CPUS))]
    for irq, address, name, requested, effective in rows:
        counts = "".join(f"{7 if str(cpu) == effective else 0:>11}" for cpu in range(_CPUS))
        table.append(f"{irq:>4}:{counts}  ITS-PCI-MSIX-{address} 0 Edge      {name}")
        files[f"/proc/irq/{irq}/smp_affinity_list"] = f"{requested}\n"
        files[f"/proc/irq/{irq}/effective_affinity_list"] = f"{effective}\n"
        files[f"/sys/bus/pci/devices/{address}/msi_irqs/{irq}"] = "msix\n"
        files[f"/sys/bus/pci/devices/{address}/vendor"] = f"{_VENDORS.get(address, '0x1234')}\n"
        files[f"/sys/bus/pci/devices/{address}/class"] = f"{_CLASSES.get(address, '0xff0000')}\n"
    table.append("IPI0:" + "".join(f"{cpu:>11}" for cpu in range(_CPUS)) + "       Rescheduling interrupts")
    table.append(" Err:          0")
    return files | {"/proc/interrupts": "\n".join(table) + "\n"}


def more_interrupts(table: str, added: Mapping[str, Mapping[int, int]]) -> str:
    """Return /proc/interrupts after these interrupts, by name, have come so many more times on these CPUs."""
    lines = table.splitlines()
    for place, line in enumerate(lines[1:], 1):
        words = line.split()
        more = added.get(words[-1], {}) if words else {}
        if more:
            counts = [int(word) + more.get(cpu, 0) for cpu, word in enumerate(words[1 : _CPUS + 1])]
            lines[place] = " ".join([words[0], *map(str, counts), *words[_CPUS + 1 :]])
    return "\n".join(lines) + "\n"
