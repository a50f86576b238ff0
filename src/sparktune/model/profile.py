"""A host profile: what an operator wants of a machine, before anybody has looked at one."""

__all__ = ["EarlyoomStance", "IrqPolicy", "Mode", "Profile"]

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Mode(Enum):
    """How the operating system's own work is kept on the efficiency cores.

    SLICES: cpusets of systemd's slices, live and for every boot. CLASSIC: ``CPUAffinity=`` of the manager, which is
    inherited by what it should not touch and takes effect at a boot.
    """

    SLICES = "slices"
    CLASSIC = "classic"


class IrqPolicy(Enum):
    """Where interrupts of the devices go. Public evidence conflicts: which one serves better is to be measured.

    EFFICIENCY: every vector may use all efficiency cores. SPREAD: vector by vector to one performance core each.
    """

    EFFICIENCY = "efficiency"
    SPREAD = "performance-spread"
    LEAVE = "leave"


class EarlyoomStance(Enum):
    """What becomes of earlyoom, which ends processes when memory runs out; LEAVE only reports it."""

    LEAVE = "leave"
    STOP = "stop"


def _article() -> dict[str, str]:
    return {"vm.swappiness": "1", "vm.vfs_cache_pressure": "200"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """``without`` names changes that are left out, ``sysctls`` the keys (in dots) with the values that they get.

    ``irq_devices`` are PCI addresses besides those of NVIDIA's and Mellanox's devices. ``target`` boots by default.
    ``isolate_now`` switches to it at once, which ends a graphical session; ``move_running`` moves running tasks in
    CLASSIC mode instead of waiting for a boot. ``compose_files`` are compose files on the node whose inference services
    get a cpuset; ``containers`` names of containers that count as inference. ``allow_slow`` accepts that inference
    without a cpuset lands on efficiency cores.
    """

    name: str = "inference"
    mode: Mode = Mode.SLICES
    irq: IrqPolicy = IrqPolicy.EFFICIENCY
    irq_devices: tuple[str, ...] = ()
    sysctls: Mapping[str, str] = field(default_factory=_article)
    target: str = "multi-user.target"
    isolate_now: bool = False
    move_running: bool = False
    earlyoom: EarlyoomStance = EarlyoomStance.LEAVE
    compose_files: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    allow_slow: bool = False
