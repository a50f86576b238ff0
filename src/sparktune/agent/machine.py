"""The one place where a node is changed: its files, its runtime values, its threads, and the programs that manage it.

``LiveMachine`` is this machine, ``TreeMachine`` a captured tree: there nothing is executed, and what a program would
change is written where the tree keeps that program's answer.
"""

__all__ = ["Kept", "Machine"]

from abc import ABC, abstractmethod
from typing import Any

from sparktune.agent.machine_files import Files
from sparktune.agent.tree import Tree

Kept = dict[str, str]


class Machine(ABC):
    """``tree`` leads from a path as the node has it to the real one; ``files`` reads and writes files of settings.

    What the kernel does raises OSError; what programs do raises StepFailed with their words. ``kept`` arguments are
    what ``kept`` and its like returned before something was changed.
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
        """Return what a tree says of things that follow from other values, to be restored; {} on a machine."""

    @abstractmethod
    def set_affinity(self, pid: int, tid: int, cpus: frozenset[int]) -> None:
        """Let a thread use only these CPUs."""

    @abstractmethod
    def restore_affinity(self, pid: int, tid: int, cpus: frozenset[int], kept: Kept) -> None:
        """Let a thread use what it used before."""

    @abstractmethod
    def unit_properties(self, unit: str, *names: str) -> dict[str, str]:
        """Return what systemd says of a unit; a property that it does not say is not in it."""

    @abstractmethod
    def set_property(self, unit: str, name: str, value: str) -> None:
        """Set a property of a unit until the next boot."""

    @abstractmethod
    def restore_property(self, unit: str, name: str, value: str, kept: Kept) -> None:
        """Set a property of a unit to what it was before."""

    @abstractmethod
    def kept_of_unit(self, unit: str) -> Kept:
        """Return what a tree says of the processes of a unit; {} on a machine."""

    @abstractmethod
    def reload(self, manager: str) -> None:
        """Let ``systemd`` or ``udev`` read its files again."""

    @abstractmethod
    def manage(self, verb: str, unit: str) -> None:
        """``start``, ``stop`` or ``try-restart`` a unit, or ``isolate`` a target."""

    @abstractmethod
    def container(self, full_id: str) -> dict[str, Any] | None:
        """Return a container as ``docker inspect`` has it, None when it is gone."""

    @abstractmethod
    def set_cpuset(self, full_id: str, cpus: str) -> None:
        """Let a container use only these CPUs."""

    @abstractmethod
    def restore_cpuset(self, full_id: str, before: str, all_cpus: str, kept: Kept) -> None:
        """Let a container use what it used before: ``all_cpus`` where it had no cpuset."""

    @abstractmethod
    def kept_of_container(self, full_id: str) -> Kept:
        """Return what a tree says of the processes of a container; {} on a machine."""

    @abstractmethod
    def pause(self) -> None:
        """Wait a moment for what comes about by itself."""
