"""The one place where a node is changed: its files, its runtime values, its threads, and the programs that manage it.

``LiveMachine`` is this machine, ``TreeMachine`` a captured tree: there nothing is executed, and what a program would
change is written where the tree keeps that program's answer.
"""

__all__ = ["Machine", "machine_of"]

from abc import ABC

from sparktune.agent.tree import Tree


class Machine(ABC):  # noqa: B024 - its methods come with the kinds of steps
    """``tree`` leads from a path as the node has it to the real one."""

    def __init__(self, tree: Tree) -> None:
        """Take the tree."""
        self.tree = tree


def machine_of(tree: Tree) -> Machine:
    """Return the machine that a tree stands for."""
    return Machine(tree)
