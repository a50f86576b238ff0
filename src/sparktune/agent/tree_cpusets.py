"""Control groups of a captured tree, the cpusets in them, and what their threads may use.

Sources: Documentation/admin-guide/cgroup-v2.rst: a group whose cpuset is empty, or has nothing in common with that of
its parent, uses its parent's; kernel/cgroup/cpuset.c since Linux 6.2: a thread's own list is kept where it fits.
"""

__all__ = ["CpuSets"]

import os
import re
from collections.abc import Iterator

from sparktune.agent.numbers import cpu_mask, cpus_of, format_cpus
from sparktune.agent.tree_texts import Texts

_ROOT = "/sys/fs/cgroup"
_ONLINE = "/sys/devices/system/cpu/online"
_LIST = re.compile(r"^Cpus_allowed_list:[\t ]*(.*)$", re.MULTILINE)
_MASK = re.compile(r"^Cpus_allowed:[\t ]*(.*)$", re.MULTILINE)


class CpuSets:
    """Groups are named by their path below the hierarchy's root, as /proc/PID/cgroup has them."""

    def __init__(self, texts: Texts) -> None:
        """Take the texts."""
        self._texts = texts

    def group_named(self, name: str) -> str:
        """Return the first group whose folder has a name in its own, a unit's or a container's id; "" for none."""
        for group in self._below(""):
            leaf = group.rpartition("/")[2]
            if leaf == name or (len(name) == len(leaf.split("-")[-1].removesuffix(".scope")) and name in leaf):
                return group
        return ""

    def effective_of(self, pid: int) -> frozenset[int] | None:
        """Return what a process's group leaves it, None when the tree does not say."""
        group = self._group_of(str(pid))
        return None if group is None else self._effective(group)

    def confine(self, group: str, cpus: frozenset[int]) -> None:
        """Give a group a cpuset, none when empty, with all that follows below."""
        groups = list(self._below(group))
        old = {one: self._effective(one) for one in groups}
        if self._texts.read(f"{_ROOT}{group}/cpuset.cpus") is not None:
            self._texts.replace(f"{_ROOT}{group}/cpuset.cpus", format_cpus(cpus) + "\n")
        new: dict[str, frozenset[int] | None] = {}
        for one in groups:
            parent = new[up] if (up := one.rpartition("/")[0]) in new else self._effective(up)
            new[one] = self._left(one, cpus if one == group else None, parent)
            effective = new[one]
            if effective is not None and self._texts.read(f"{_ROOT}{one}/cpuset.cpus.effective") is not None:
                self._texts.replace(f"{_ROOT}{one}/cpuset.cpus.effective", format_cpus(effective) + "\n")
        for pid, of in self._processes():
            if of in new:
                self._move(pid, old[of], new[of])

    def kept(self, group: str) -> dict[str, str]:
        """Return all that ``confine`` may change."""
        groups = set(self._below(group))
        leaves = ("cpuset.cpus", "cpuset.cpus.effective")
        files = [f"{_ROOT}{one}/{leaf}" for one in sorted(groups) for leaf in leaves]
        lists = [
            f"{path}|Cpus_allowed"
            for pid, of in self._processes()
            if of in groups
            for path, _tid in self._statuses(pid)
        ]
        return self._texts.kept(*files, *lists)

    def show_allowed(self, pid: int, tid: int, cpus: frozenset[int]) -> None:
        """Write a thread's list and mask; a process shows that of its first thread."""
        paths = [f"/proc/{pid}/task/{tid}/status", *([f"/proc/{pid}/status"] if pid == tid else [])]
        for path in paths:
            text = self._texts.read(path)
            if text is not None:
                self._texts.replace(path, _with_allowed(text, cpus))

    def _move(self, pid: str, old: frozenset[int] | None, new: frozenset[int] | None) -> None:
        if new is None:
            return
        for path, _tid in self._statuses(pid):
            text = self._texts.read(path) or ""
            found = _LIST.search(text)
            if found:
                before = cpus_of(found[1])
                self._texts.replace(path, _with_allowed(text, new if before == old else (before & new) or new))

    def _left(self, group: str, cpus: frozenset[int] | None, parent: frozenset[int] | None) -> frozenset[int] | None:
        own = cpus if cpus is not None else cpus_of(self._texts.read(f"{_ROOT}{group}/cpuset.cpus") or "")
        if parent is None:
            return own or None
        return (own & parent) or parent

    def _effective(self, group: str) -> frozenset[int] | None:
        """Return what the nearest group that says it leaves; at the top, all CPUs."""
        while True:
            text = self._texts.read(f"{_ROOT}{group}/cpuset.cpus.effective")
            if text is not None:
                return cpus_of(text)
            if not group:
                online = self._texts.read(_ONLINE)
                return None if online is None else cpus_of(online)
            group = group.rpartition("/")[0]

    def _below(self, group: str) -> Iterator[str]:
        """Yield a group and those in it, parents first."""
        top = self._texts.tree.real(f"{_ROOT}{group}")
        for folder, folders, _files in os.walk(top):
            folders.sort()
            inside = os.path.relpath(folder, top)
            yield group if inside == "." else f"{group}/{inside}"

    def _processes(self) -> Iterator[tuple[str, str]]:
        for pid in self._texts.names("/proc"):
            group = self._group_of(pid) if pid.isdecimal() else None
            if group is not None:
                yield pid, group

    def _group_of(self, pid: str) -> str | None:
        lines = (self._texts.read(f"/proc/{pid}/cgroup") or "").splitlines()
        found = next((line[3:].rstrip("/") for line in lines if line.startswith("0::")), None)
        # systemd itself is in the only group that has no unit file; a tree may have its list and not its group.
        return "/init.scope" if found is None and pid == "1" and self._texts.names(f"{_ROOT}/init.scope") else found

    def _statuses(self, pid: str) -> list[tuple[str, str]]:
        threads = [(f"/proc/{pid}/task/{tid}/status", tid) for tid in self._texts.names(f"/proc/{pid}/task")]
        return [*threads, (f"/proc/{pid}/status", pid)]


def _with_allowed(text: str, cpus: frozenset[int]) -> str:
    text = _LIST.sub(f"Cpus_allowed_list:\t{format_cpus(cpus)}", text, count=1)
    mask = _MASK.search(text)
    return text if mask is None else _MASK.sub(f"Cpus_allowed:\t{cpu_mask(cpus, mask[1])}", text, count=1)
