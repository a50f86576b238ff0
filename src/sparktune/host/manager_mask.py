"""What PID 1's mask should be: what files say, within the cpuset of its own control group.

Sources: systemd-system.conf(5), CPUAffinity=; systemd's core/main.c, update_cpu_affinity: PID 1 applies it to itself at
boot and at every daemon-reload, and passes it on to what it starts from then on; where no file sets it any more nothing
takes it back, neither daemon-reload nor daemon-reexec (seen with 252); cpuset(7): a mask outside of the cpuset is
clipped to it.
"""

__all__ = ["MANAGER_FILE", "NOT_BEFORE_BOOT", "expected_mask"]

from sparktune.host.cpulist import CpuSet
from sparktune.host.facts.systemd import SystemdFacts
from sparktune.model.observed import State

# Drop-ins are read in the order of their names; this one after those that people number or name cpu-affinity.conf
MANAGER_FILE = "/etc/systemd/system.conf.d/zz-sparktune.conf"
NOT_BEFORE_BOOT = (
    "what runs already keeps its mask until the next boot; PID 1 takes it at a daemon-reload, with what it starts from "
    "then on, and gives none back before a boot"
)


def expected_mask(systemd: SystemdFacts, online: CpuSet) -> CpuSet | None:
    """Return the mask that PID 1 has when it began with today's files; None when files cannot be read."""
    if systemd.manager_wanted.state is State.UNREADABLE:
        return None
    wanted = (systemd.manager_wanted.value or online) & online or online
    granted = systemd.slice_cpus("init.scope").effective.value or online
    return wanted & granted or granted
