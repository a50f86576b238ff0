"""One node of the practice cluster, healthy unless asked otherwise."""

__all__ = ["LabNode", "node_tree"]

from dataclasses import dataclass, field

from sparktune.host.lab.cpu import cpu_tree
from sparktune.host.lab.engine import ENGINE_CORE, Engine, engine_tree
from sparktune.host.lab.fabric import Rail, fabric_tree, rails
from sparktune.host.lab.gpu import gpu_tree
from sparktune.host.lab.memory import memory_tree
from sparktune.host.lab.system import System, system_tree
from sparktune.host.lab.tree import NodeTree, merge

_ENGINE_MIB = 58_368


@dataclass(frozen=True, slots=True, kw_only=True)
class LabNode:
    """``last`` is the end of its addresses; ``cma_free_kib`` above 131,072 is the fault of some 7.0 kernels."""

    last: int
    fabric: tuple[Rail, ...] = ()
    engine: Engine = field(default_factory=Engine)
    system: System = field(default_factory=System)
    cma_free_kib: int = 69_320
    driver: str = "580.159.03"


def node_tree(node: LabNode) -> NodeTree:
    """Return everything that is read of the node."""
    fabric = node.fabric or rails(node.last)
    functions = sorted(fabric, key=lambda rail: (rail.address is None, rail.pci))
    return merge(
        cpu_tree(),
        memory_tree(cma_free_kib=node.cma_free_kib),
        gpu_tree(driver=node.driver, pid=ENGINE_CORE, memory_mib=_ENGINE_MIB),
        fabric_tree(fabric, last=node.last),
        engine_tree(node.engine),
        system_tree(node.system, tuple(rail.pci for rail in functions)),
    )
