"""The one place where a node is changed: its files, its runtime values, its threads, and the programs that manage it.

``LiveMachine`` is this machine, ``TreeMachine`` a captured tree: there nothing is executed, and what a program would
change is written where the tree keeps that program's answer.
"""

__all__ = ["Kept", "Machine", "machine_of"]

from abc import ABC, abstractmethod

from sparktune.agent.machine_files import Files
from sparktune.agent.tree import Tree

Kept = dict[str, str]  # texts by path


class Machine(ABC):
    """``tree`` leads from a path as the node has it to the real one; ``files`` reads and writes files of settings.

    Methods raise OSError as the kernel does, and StepFailed with the words of a program that refused.
    """

    def __init__(self, tree: Tree) -> None:
        """Take the tree."""
        self.tree = tree
        self.files = Files(tree)

    @abstractmethod
    def write_value(self, path: str, text: str) -> None:
        """Write to a file of /proc or /sys at once."""

    @abstractmethod
    def restore_value(self, path: str, text: str, kept: Kept) -> None:
        """Write what was there before; ``kept`` is what ``kept`` returned then."""

    @abstractmethod
    def kept(self, *paths: str) -> Kept:
        """Return the texts that a tree has of what follows from other values, to be restored; {} on a machine."""


def machine_of(tree: Tree) -> Machine:
    """Return the machine that a tree stands for."""
    # Each is loaded only where it is needed: a node never needs the tree's.
    if tree.root:
        from sparktune.agent.machine_tree import TreeMachine  # noqa: PLC0415

        return TreeMachine(tree)
    from sparktune.agent.machine_live import LiveMachine  # noqa: PLC0415

    return LiveMachine(tree)
