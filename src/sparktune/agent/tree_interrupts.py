"""Interrupts of a captured tree.

Sources: kernel/irq/proc.c (write_irq_affinity) for what is refused; the GIC's ITS and x86 vectors use one CPU of those
that were asked for, which is what effective_affinity_list then says.
"""

__all__ = ["Interrupts"]

import errno
import os
import re

from sparktune.agent.numbers import cpu_mask, cpus_of, format_cpus
from sparktune.agent.tree_texts import Texts

_PATH = re.compile(r"(/proc/irq/(\d+))/smp_affinity_list")
# Queues that the kernel places itself: of NVMe, but its first one, and of virtio's block devices.
_MANAGED = re.compile(r"nvme\d+q[1-9]\d*|virtio\d+-req\.\d+")


class Interrupts:
    """Other paths are none of theirs, and left."""

    def __init__(self, texts: Texts) -> None:
        """Take the texts."""
        self._texts = texts

    def refuse(self, path: str, text: str) -> None:
        """Raise OSError where the kernel would."""
        match = _PATH.fullmatch(path)
        if match is None:
            return
        rows = (self._texts.read("/proc/interrupts") or "").splitlines()
        names = [line.split()[-1] for line in rows if line.partition(":")[0].strip() == match[2]]
        if any(_MANAGED.fullmatch(name) for name in names):
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))
        online = self._texts.read("/sys/devices/system/cpu/online")
        if online is not None and not cpus_of(text) & cpus_of(online):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    def follow(self, path: str, text: str) -> None:
        """Write the mask, and what is effective, where the tree has them."""
        match = _PATH.fullmatch(path)
        if match is None:
            return
        cpus = cpus_of(text)
        effective = self._texts.read(f"{match[1]}/effective_affinity_list")
        uses = cpus
        if effective is not None and len(before := cpus_of(effective)) == 1:
            uses = before if before <= cpus else frozenset({min(cpus)})
        for name, shown in (("smp_affinity", cpus), ("effective_affinity", uses), ("effective_affinity_list", uses)):
            old = self._texts.read(f"{match[1]}/{name}")
            if old is not None:
                new = format_cpus(shown) if name.endswith("list") else cpu_mask(shown, old)
                self._texts.replace(f"{match[1]}/{name}", new + "\n")
