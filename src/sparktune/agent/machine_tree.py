"""A captured tree: what the kernel and the programs of that node would show afterwards is written into it.

Nothing is made up: a file that the tree does not have does not come into being, unless the real system would make it.
Where one change shows in several places, the one that a step looks at is written first, and restored last: whoever is
killed in between finds the step still to be undone.
"""

__all__ = ["TreeMachine"]

import errno
import os
from typing import Any

from sparktune.agent.failures import StepFailed
from sparktune.agent.machine import Kept, Machine
from sparktune.agent.numbers import cpus_of
from sparktune.agent.tree import Tree
from sparktune.agent.tree_containers import Containers
from sparktune.agent.tree_cpusets import CpuSets
from sparktune.agent.tree_interrupts import Interrupts
from sparktune.agent.tree_texts import Texts
from sparktune.agent.tree_units import TreeFiles, Units


class TreeMachine(Machine):
    """Values, interrupts, threads, units and containers as texts."""

    def __init__(self, tree: Tree) -> None:
        """Take the tree."""
        super().__init__(tree)
        self._texts = Texts(tree)
        self._interrupts = Interrupts(self._texts)
        self._cpusets = CpuSets(self._texts)
        self._units = Units(self._texts)
        self._containers = Containers(self._texts)
        self.files = TreeFiles(tree, self._units)

    def write_value(self, path: str, text: str) -> None:
        """Write what the kernel would take, then what would follow from it."""
        self._interrupts.refuse(path, text)
        self._texts.replace(path, text)
        self._interrupts.follow(path, text)

    def restore_value(self, path: str, text: str, kept: Kept) -> None:
        """Write back what followed, then the value."""
        self._texts.restore(kept)
        self._texts.replace(path, text)

    def kept(self, *paths: str) -> Kept:
        """Return the texts of those that there are; ``PATH|NAME`` is the lines of a file that start with a name."""
        return self._texts.kept(*paths)

    def set_affinity(self, pid: int, tid: int, cpus: frozenset[int]) -> None:
        """Leave out what the cpuset does not have, as the kernel does."""
        effective = self._cpusets.effective_of(pid)
        allowed = cpus if effective is None else cpus & effective
        if not allowed:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        self._cpusets.show_allowed(pid, tid, allowed)

    def restore_affinity(self, pid: int, tid: int, cpus: frozenset[int], kept: Kept) -> None:
        """Write back the lines."""
        del cpus
        self._texts.restore(kept, last=f"/proc/{pid}/task/{tid}/status|Cpus_allowed")

    def unit_properties(self, unit: str, *names: str) -> dict[str, str]:
        """Look into all answers of ``systemctl show``."""
        found = {name: self._units.property_of(unit, name) for name in names}
        if "ControlGroup" in names and not found["ControlGroup"]:
            found["ControlGroup"] = self._cpusets.group_named(unit)
        if "LoadState" in names and found["LoadState"] is None:
            found["LoadState"] = "loaded"
        return {name: value for name, value in found.items() if value is not None}

    def set_property(self, unit: str, name: str, value: str) -> None:
        """Do what systemd does: the property, its drop-in below /run, and the control group."""
        self._units.show_property(unit, name, value)
        self._units.write_drop_in(unit, name, value, self.files)
        group = self._cpusets.group_named(unit)
        if name == "AllowedCPUs" and group:
            self._cpusets.confine(group, cpus_of(value))

    def restore_property(self, unit: str, name: str, value: str, kept: Kept) -> None:
        """Write back what followed, then the property."""
        shown = dict(kept)
        block = shown.pop(f"|{unit}", None)
        self._texts.restore(shown)
        self._units.show_property(unit, name, value, there=block is None)

    def kept_of_unit(self, unit: str) -> Kept:
        """Return the cpusets of a unit's group and those below, and the lists of their threads."""
        group = self._cpusets.group_named(unit)
        blocks = {} if self._units.has_block(unit) else {f"|{unit}": "absent"}
        return {**blocks, **(self._cpusets.kept(group) if group else {})}

    def reload(self, manager: str) -> None:
        """Let properties follow the unit files; udev's rules show nowhere."""
        if manager == "systemd":
            self._units.reload()

    def manage(self, verb: str, unit: str) -> None:
        """Write that a unit is active, or is not."""
        state = self._units.property_of(unit, "ActiveState")
        if state is None or self._units.property_of(unit, "LoadState") == "not-found":
            message = f"Failed to {verb} {unit}: the tree says nothing of it"
            raise StepFailed(message)
        if verb == "isolate":
            self._units.isolate(unit)
        elif verb != "try-restart":
            self._units.show_state(unit, "active" if verb == "start" else "inactive")

    def container(self, full_id: str) -> dict[str, Any] | None:
        """Look into the answer of ``docker inspect``."""
        return self._containers.find(full_id)

    def set_cpuset(self, full_id: str, cpus: str) -> None:
        """Write the container's cpuset, then its group's."""
        self._containers.show_cpuset(full_id, cpus)
        group = self._cpusets.group_named(full_id)
        if group:
            self._cpusets.confine(group, cpus_of(cpus))

    def restore_cpuset(self, full_id: str, before: str, all_cpus: str, kept: Kept) -> None:
        """Write back all of it; Docker itself could not take a cpuset away, but a tree has to be as it was."""
        del all_cpus
        self._texts.restore(kept)
        self._containers.show_cpuset(full_id, before)

    def kept_of_container(self, full_id: str) -> Kept:
        """Return the cpusets of a container's group, and the lists of its threads."""
        group = self._cpusets.group_named(full_id)
        return self._cpusets.kept(group) if group else {}

    def pause(self) -> None:
        """Wait for nothing: nothing comes about by itself."""
