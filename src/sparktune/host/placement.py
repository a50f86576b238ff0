"""Which cores are for inference and which for everything else, of those that are online."""

__all__ = ["Cores", "cores_of"]

from dataclasses import dataclass

from sparktune.host.cpulist import CpuSet
from sparktune.host.facts.cpu import CpuFacts
from sparktune.model.node import NodeFacts
from sparktune.model.observed import Observed, present, unreadable


@dataclass(frozen=True, slots=True, kw_only=True)
class Cores:
    """The online cores of a machine with two types of them."""

    performance: CpuSet
    efficiency: CpuSet

    @property
    def online(self) -> CpuSet:
        """All of them."""
        return self.performance | self.efficiency


def cores_of(facts: NodeFacts) -> Observed[Cores]:
    """Return the cores of a node; UNREADABLE with the reason where fast and slow ones cannot be told apart."""
    cpu = facts.get(CpuFacts)
    if cpu is None:
        return unreadable("nothing is known of its CPUs")
    split = cpu.split.value
    if split is None:
        return unreadable(cpu.split.why or "fast and slow cores cannot be told apart")
    online = cpu.online.value if cpu.online.value is not None else split.performance | split.efficiency
    cores = Cores(performance=split.performance & online, efficiency=split.efficiency & online)
    if not cores.performance or not cores.efficiency:
        which = "efficiency" if cores.performance else "performance"
        return unreadable(f"no {which} core is online")
    return present(cores)
