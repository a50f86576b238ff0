"""The idle gate: whether a node had anything to do between two looks, count by count.

Sources: Documentation/ABI/stable/sysfs-class-infiniband (port_xmit_data and port_rcv_data count words of four bytes);
nvidia-smi's query ``utilization.gpu``. A node without such a device has none of its work; that is told, not assumed:
the first look lists the devices.
"""

__all__ = ["DEVICE_READS", "GATE_READS", "Devices", "devices_of", "gate_between"]

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sparktune.model.place import IdleGate
from sparktune.model.reads import Read, ReadCommand, ReadFiles, Readings, ReadNames, Sampled
from sparktune.model.sample import Sample
from sparktune.units import Seconds, seconds_between

_PORTS: Final = "/sys/class/infiniband/*/ports/[0-9]*/counters/port_*_data"
_CARDS: Final = "/sys/class/infiniband/*"
_DRIVER: Final = "/proc/driver/nvidia/*"
_GPU: Final = ("nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits")
_LONGEST_S: Final[Seconds] = 1.5  # one that takes longer has missed its window
_WORD_BYTES: Final = 4
_QUIET_BYTES_PER_S: Final = 10_000.0  # management traffic of a port that carries nothing
_COUNTER: Final = re.compile(r"/sys/class/infiniband/[^/]+/ports/\d+/counters/port_(?:xmit|rcv)_data")

DEVICE_READS: Final[tuple[Read, ...]] = (ReadNames(pattern=_CARDS), ReadNames(pattern=_DRIVER))
"""Which devices there are that could be at work."""
GATE_READS: Final[tuple[Sampled, ...]] = (ReadFiles(pattern=_PORTS), ReadCommand(argv=_GPU, limit_s=_LONGEST_S))
"""What is read of them in every window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Devices:
    """Whether a node has an RDMA card, and a GPU with NVIDIA's driver."""

    rdma: bool
    gpu: bool


def devices_of(readings: Readings) -> Devices:
    """Return what the answers to ``DEVICE_READS`` list; what could not be listed may be there."""
    return Devices(
        rdma=bool(readings.names.get(_CARDS)) or _CARDS in readings.unread,
        gpu=bool(readings.names.get(_DRIVER)) or _DRIVER in readings.unread,
    )


def gate_between(before: Sample, after: Sample, devices: Devices, *, requests: bool | None) -> IdleGate:
    """Return the gate of one window; ``requests`` is what the engine's own counts say, None where nobody asked."""
    return IdleGate(
        requests=requests,
        gpu=_gpu(after.texts) if devices.gpu else True,
        rdma=_rdma(before, after) if devices.rdma else True,
    )


def _gpu(texts: Mapping[str, str]) -> bool | None:
    lines = [line.strip() for line in texts.get(" ".join(_GPU), "").splitlines() if line.strip()]
    if any(line.isdecimal() and int(line) > 0 for line in lines):
        return False
    return True if lines and all(line.isdecimal() for line in lines) else None


def _rdma(before: Sample, after: Sample) -> bool | None:
    elapsed = seconds_between(before.monotonic_ns, after.monotonic_ns)
    words = 0
    ports = [path for path in after.texts if _COUNTER.fullmatch(path)]
    for path in ports:
        first, last = before.texts.get(path, "").strip(), after.texts[path].strip()
        if not (first.isdecimal() and last.isdecimal()):
            return None
        words += int(last) - int(first)
    if not ports or elapsed <= 0 or words < 0:
        return None
    return words * _WORD_BYTES / elapsed < _QUIET_BYTES_PER_S
