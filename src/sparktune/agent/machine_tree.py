"""A captured tree: what the kernel and the programs of that node would show afterwards is written into it.

Nothing is made up: a file that the tree does not have does not come into being, unless the real system would make it.
Sources: kernel/irq/proc.c for what /proc/irq refuses.
"""

__all__ = ["TreeMachine"]

import errno
import os
import re
from contextlib import suppress

from sparktune.agent.files import read_file
from sparktune.agent.machine import Kept, Machine
from sparktune.agent.numbers import cpu_mask, cpus_of, format_cpus

_MOST_BYTES = 8 * 1024 * 1024
_IRQ = re.compile(r"(/proc/irq/(\d+))/smp_affinity_list")
# Queues that the kernel places itself: of NVMe, but its first one, and of virtio's block devices.
_MANAGED = re.compile(r"nvme\d+q[1-9]\d*|virtio\d+-req\.\d+")


class TreeMachine(Machine):
    """What is written is complete or not there: it is made elsewhere, below /var/lib/sparktune, and renamed."""

    def write_value(self, path: str, text: str) -> None:
        """Write what the kernel would take, then what would follow from it."""
        irq = _IRQ.fullmatch(path)
        if irq:
            self._refuse_irq(irq[2], text)
        self._replace(path, text)
        if irq:
            self._place_irq(irq[1], cpus_of(text))

    def restore_value(self, path: str, text: str, kept: Kept) -> None:
        """Write back what followed, then the value: whoever is killed in between finds the value still changed."""
        for other, shown in kept.items():
            self._replace(other, shown)
        self._replace(path, text)

    def kept(self, *paths: str) -> Kept:
        """Return the texts of those files that there are."""
        texts = {path: self.text(path) for path in paths}
        return {path: text for path, text in texts.items() if text is not None}

    def text(self, path: str) -> str | None:
        """Return a file of the tree, None when it is not there or cannot be read."""
        result = read_file(self.tree, {"path": path, "most_bytes": _MOST_BYTES})
        return result.get("value")

    def _replace(self, path: str, text: str) -> None:
        """Give a file that is there another text; it keeps its mode, owner and time."""
        real = self.tree.real(path)
        found = os.stat(real)
        folder = self.tree.real("/var/lib/sparktune")
        os.makedirs(folder, 0o700, exist_ok=True)
        temporary = f"{folder}/tree.new"
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            data = text.encode()
            while data:
                data = data[os.write(handle, data) :]
            made = os.fstat(handle)
            if (made.st_uid, made.st_gid) != (found.st_uid, found.st_gid):
                os.fchown(handle, found.st_uid, found.st_gid)
            os.fchmod(handle, found.st_mode & 0o7777)
            os.utime(handle, ns=(found.st_atime_ns, found.st_mtime_ns))
        finally:
            os.close(handle)
        os.replace(temporary, real)

    def _refuse_irq(self, irq: str, text: str) -> None:
        names = [line.split()[-1] for line in (self.text("/proc/interrupts") or "").splitlines() if _is_row(line, irq)]
        if any(_MANAGED.fullmatch(name) for name in names):
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))
        online = self.text("/sys/devices/system/cpu/online")
        if online is not None and not cpus_of(text) & cpus_of(online):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    def _place_irq(self, folder: str, cpus: frozenset[int]) -> None:
        effective = self.text(f"{folder}/effective_affinity_list")
        uses = cpus
        if effective is not None and len(before := cpus_of(effective)) == 1:  # its controller takes one CPU only
            uses = before if before <= cpus else frozenset({min(cpus)})
        for name, shown in (("smp_affinity", cpus), ("effective_affinity", uses), ("effective_affinity_list", uses)):
            old = self.text(f"{folder}/{name}")
            if old is not None:
                new = format_cpus(shown) if name.endswith("list") else cpu_mask(shown, old)
                self._replace(f"{folder}/{name}", new + "\n")


def _is_row(line: str, irq: str) -> bool:
    return line.partition(":")[0].strip() == irq and len(line.split()) > 1
