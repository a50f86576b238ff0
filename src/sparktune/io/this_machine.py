"""What a load client has to know of the machine that it runs on: its cores, and whether a server is on it."""

__all__ = ["allowed_cpus", "core_split", "is_this_machine"]

import os
import socket
from contextlib import suppress
from pathlib import Path

from sparktune.host.core_types import CoreSplit
from sparktune.host.cpulist import CpuSet
from sparktune.host.facts import cpu
from sparktune.host.facts.cpu import CpuFacts
from sparktune.model.observed import Observed, absent, present
from sparktune.model.reads import ReadFile, ReadFiles, Readings

_ROOT = Path("/")


def core_split(root: Path = _ROOT) -> Observed[CoreSplit]:
    """Return which cores are fast and which are slow, by the same facts as of a node."""
    reads = cpu.SOURCE.reads
    readings = Readings(
        files={read.path: _text(root / read.path.lstrip("/")) for read in reads if isinstance(read, ReadFile)},
        matches={
            read.pattern: {
                f"/{path.relative_to(root)}": _text(path) for path in sorted(root.glob(read.pattern.lstrip("/")))
            }
            for read in reads
            if isinstance(read, ReadFiles)
        },
    )
    facts: CpuFacts = cpu.SOURCE.parse(readings)
    return facts.split


def allowed_cpus() -> CpuSet:
    """Return the CPUs that this thread may use."""
    return frozenset(os.sched_getaffinity(0))


def is_this_machine(host: str) -> bool:
    """Tell whether a name or address is one of this machine's own: only such an address can be bound.

    A tunnel that ends here looks like a server that is here.
    """
    with suppress(OSError, UnicodeError):
        for family, kind, protocol, _name, address in socket.getaddrinfo(host, 0, type=socket.SOCK_DGRAM):
            with suppress(OSError), socket.socket(family, kind, protocol) as sock:
                sock.bind(address)
                return True
    return False


def _text(path: Path) -> Observed[str]:
    try:
        return present(path.read_text(errors="replace"))
    except OSError:
        return absent()
