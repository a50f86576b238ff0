"""Which machine a tree stands for: this one, or a captured one."""

__all__ = ["machine_of"]

from sparktune.agent.machine import Machine
from sparktune.agent.tree import Tree


def machine_of(tree: Tree) -> Machine:
    """Return the machine that a tree stands for."""
    # Each is loaded only where it is needed: a node never needs the tree's.
    if tree.root:
        from sparktune.agent.machine_tree import TreeMachine  # noqa: PLC0415

        return TreeMachine(tree)
    from sparktune.agent.machine_live import LiveMachine  # noqa: PLC0415

    return LiveMachine(tree)
