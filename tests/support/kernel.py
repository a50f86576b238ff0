"""What tests change of the real kernel: runtime values are kept, and put back whatever happens.

A booted test node shares this machine's kernel. A reboot of a real machine resets these values, that of a test node
does not: the test does it then.
"""

import fcntl
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

__all__ = ["KernelValues", "interrupts_of", "kept_kernel", "spare_device"]

_PATTERNS = (
    "proc/irq/[0-9]*/smp_affinity",
    "proc/irq/default_smp_affinity",
    "proc/sys/vm/swappiness",
    "proc/sys/vm/vfs_cache_pressure",
    "sys/devices/virtual/workqueue/cpumask",
)
# A lock of flock(2) belongs to the open file: the same process would wait for itself at a second one.
_HELD: list[IO[str]] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelValues:
    """Runtime values by path, as they were."""

    values: Mapping[Path, str]

    def differing(self) -> dict[Path, str]:
        """Return what is otherwise now."""
        now = {path: _text(path) for path in self.values}
        return {path: text for path, text in now.items() if text is not None and text != self.values[path]}

    def restore(self) -> None:
        """Write what differs. Interrupts whose CPUs the kernel chooses itself refuse, and never differed."""
        for path in self.differing():
            with suppress(OSError):
                path.write_text(self.values[path])


@contextmanager
def kept_kernel(patterns: Iterable[str] = _PATTERNS) -> Iterator[KernelValues]:
    """Remember the values that tests change, and put them back afterwards; another run of tests waits until then.

    One use inside another, as of a test beside a node that all tests share, waits for nobody.
    """
    if _HELD:
        yield from _kept(patterns)
        return
    with (Path(tempfile.gettempdir()) / "sparktune-test-kernel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _HELD.append(lock)
        try:
            yield from _kept(patterns)
        finally:
            _HELD.clear()


def _kept(patterns: Iterable[str]) -> Iterator[KernelValues]:
    paths = [path for pattern in patterns for path in Path("/").glob(pattern) if os.access(path, os.W_OK)]
    found = {path: text for path in paths if (text := _text(path)) is not None}
    kept = KernelValues(values=found)
    try:
        yield kept
    finally:
        kept.restore()


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii")
    except OSError:
        return None


def spare_device() -> str:
    """Return the PCI address of this machine's virtio entropy source: nobody misses its interrupts. "" without one."""
    for driver in Path("/sys/bus/virtio/drivers/virtio_rng").glob("virtio*"):
        device = driver.resolve().parent
        if (device / "msi_irqs").is_dir():
            return device.name
    return ""


def interrupts_of(device: str) -> dict[int, str]:
    """Return the CPUs that the interrupts of a PCI device are asked to use, by the number of each."""
    numbers = [int(path.name) for path in Path(f"/sys/bus/pci/devices/{device}/msi_irqs").iterdir()]
    return {number: (_text(Path(f"/proc/irq/{number}/smp_affinity_list")) or "").strip() for number in sorted(numbers)}
