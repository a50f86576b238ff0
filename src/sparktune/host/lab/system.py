"""The rest of a node: kernel and firmware, systemd, services, kernel settings, interrupts, heat.

Sources: the manual pages that the parsers of these facts name; versions as DGX OS has them.
"""

__all__ = ["System", "system_tree"]

from dataclasses import dataclass
from typing import Final

from sparktune.host.boot_target import SHOW_TARGETS
from sparktune.host.facts import irq_services, kernel_log, systemd, workqueue
from sparktune.host.lab.tree import NodeTree, merge
from sparktune.model.node import FactSource
from sparktune.model.reads import ReadCommand

_CPUS: Final = 20
_VECTORS: Final = 21  # of one ConnectX function: one for events, one for each CPU
_FIRST_IRQ: Final = 395
_GPU_IRQ: Final = 390
_GPU_PCI: Final = "000f:01:00.0"
_UPDATES: Final = 'APT::Periodic::Unattended-Upgrade "1";\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """``affinity`` is systemd's CPUAffinity as a file has it and as PID 1 has it; empty for none.

    ``log`` are lines of the kernel; ``earlyoom`` its arguments, empty for not installed.
    """

    kernel: str = "6.17.0-1014-nvidia"
    affinity: str = ""
    earlyoom: str = ""
    log: str = ""


def system_tree(system: System, network: tuple[str, ...]) -> NodeTree:
    """Return the node's system; ``network`` are the PCI addresses of the adapter's functions, cabled ones first."""
    return merge(_kernel(system), _systemd(system), _services(system), _interrupts(network), _heat())


def _command(source: FactSource, first: str, containing: str = "") -> tuple[str, ...]:
    """Return the words of a command that a source of facts asks for, so that the two never part."""
    asked = (read.argv for read in source.reads if isinstance(read, ReadCommand))
    return next(argv for argv in asked if argv[0] == first and containing in " ".join(argv))


def _kernel(system: System) -> NodeTree:
    files = {
        "/proc/version": f"Linux version {system.kernel} (builder@lab) #1 SMP PREEMPT_DYNAMIC\n",
        "/proc/cmdline": f"BOOT_IMAGE=/boot/vmlinuz-{system.kernel} ro init_on_alloc=0 iommu.passthrough=0\n",
        "/proc/sys/kernel/random/boot_id": "00000000-0000-4000-8000-000000000001\n",
        "/etc/os-release": 'NAME="Ubuntu"\nPRETTY_NAME="Ubuntu 24.04 LTS"\n',
        "/sys/class/dmi/id/bios_version": "5.36_0ACUM018\n",
        "/sys/class/dmi/id/product_name": "NVIDIA_DGX_Spark\n",
        "/sys/class/dmi/id/board_name": "P4242\n",
        "/proc/sys/vm/swappiness": "60\n",
        "/proc/sys/vm/vfs_cache_pressure": "100\n",
        "/usr/lib/sysctl.d/10-map-count.conf": "vm.max_map_count = 1048576\n",
        "/proc/sys/vm/max_map_count": "1048576\n",
    }
    commands = {
        ("uname", "-r"): f"{system.kernel}\n",
        ("uname", "-m"): "aarch64\n",
        ("runc", "--version"): "runc version 1.2.6\nspec: 1.2.0\n",
        _command(kernel_log.SOURCE, "journalctl"): system.log,
    }
    return NodeTree(files=files, commands=commands)


def _systemd(system: System) -> NodeTree:
    live = system.affinity.replace(" ", ",") or "0-19"
    files = {
        "/proc/1/status": f"Name:\tsystemd\nCpus_allowed_list:\t{live}\n",
        "/etc/systemd/system.conf": "[Manager]\n#LogLevel=info\n",
        "/usr/lib/systemd/system/graphical.target": "[Unit]\nDescription=Graphical Interface\nAllowIsolate=yes\n",
        "/usr/lib/systemd/system/multi-user.target": "[Unit]\nDescription=Multi-User System\nAllowIsolate=yes\n",
        "/sys/fs/cgroup/cgroup.controllers": "cpuset cpu io memory hugetlb pids rdma misc\n",
    }
    if system.affinity:
        files["/etc/systemd/system.conf.d/cpu-affinity.conf"] = f"[Manager]\nCPUAffinity={system.affinity}\n"
    units = ("init.scope", "system.slice", "user.slice")
    return NodeTree(
        files=files | {f"/sys/fs/cgroup/{unit}/cpuset.cpus.effective": "0-19\n" for unit in units},
        commands={
            ("systemctl", "get-default"): "multi-user.target\n",
            SHOW_TARGETS: "Id=graphical.target\nActiveState=inactive\n\nId=multi-user.target\nActiveState=active\n\n"
            "Id=display-manager.service\nActiveState=inactive\n",
            _command(systemd.SOURCE, "systemctl", "AllowedCPUs"): "\n".join(
                f"Id={unit}\nAllowedCPUs=\n" for unit in units
            ),
        },
    )


def _services(system: System) -> NodeTree:
    words = _command(irq_services.SOURCE, "systemctl")
    there = {"unattended-upgrades.service"} | ({"earlyoom.service"} if system.earlyoom else set())
    shown = []
    for unit in words[4:]:
        if unit in there:
            shown.append(f"Id={unit}\nLoadState=loaded\nActiveState=active\nUnitFileState=enabled\n")
        else:
            shown.append(f"Id={unit}\nLoadState=not-found\nActiveState=inactive\nUnitFileState=\n")
    files = {"/etc/apt/apt.conf.d/20auto-upgrades": _UPDATES}
    if system.earlyoom:
        files["/etc/default/earlyoom"] = f'EARLYOOM_ARGS="{system.earlyoom}"\n'
    return NodeTree(files=files, commands={words: "\n".join(shown)})


def _interrupts(network: tuple[str, ...]) -> NodeTree:
    vectors = [(_GPU_IRQ, _GPU_PCI, "nvidia", 0, 48_760)]
    for place, pci in enumerate(network):
        first = _FIRST_IRQ + place * _VECTORS
        vectors.append((first, pci, f"mlx5_async0@pci:{pci}", 0, 2))
        vectors += [(first + 1 + cpu, pci, f"mlx5_comp{cpu}@pci:{pci}", cpu, 0) for cpu in range(_VECTORS - 1)]
    files = {workqueue.WORKQUEUE_MASK: "fffff\n", "/proc/irq/default_smp_affinity": "fffff\n"}
    files |= {f"/sys/bus/pci/devices/{_GPU_PCI}/vendor": "0x10de\n"}
    files |= {f"/sys/bus/pci/devices/{pci}/vendor": "0x15b3\n" for pci in network}
    rows = ["           " + "".join(f"CPU{cpu:<8}" for cpu in range(_CPUS))]
    for irq, pci, name, cpu, count in vectors:
        counts = "".join(f"{count if column == cpu else 0:>11}" for column in range(_CPUS))
        rows.append(f"{irq:>4}:{counts}  ITS-PCI-MSIX-{pci} 0 Edge      {name}")
        files[f"/proc/irq/{irq}/smp_affinity_list"] = "0-19\n"
        files[f"/proc/irq/{irq}/effective_affinity_list"] = f"{cpu}\n"
        files[f"/sys/bus/pci/devices/{pci}/msi_irqs/{irq}"] = "msix\n"
    return NodeTree(files=files | {"/proc/interrupts": "\n".join(rows) + "\n"})


def _heat() -> NodeTree:
    """Return seven zones of one name, as a GB10 has them."""
    files = {"/sys/class/hwmon/hwmon0/name": "acpitz\n"}
    for zone, heat in enumerate((52_100, 51_800, 50_900, 53_400, 49_700, 51_200, 50_300)):
        files[f"/sys/class/thermal/thermal_zone{zone}/type"] = "acpitz\n"
        files[f"/sys/class/thermal/thermal_zone{zone}/temp"] = f"{heat}\n"
        files[f"/sys/class/hwmon/hwmon0/temp{zone + 1}_input"] = f"{heat}\n"
    return NodeTree(files=files)
