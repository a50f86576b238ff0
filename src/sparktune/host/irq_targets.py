"""Which interrupts a profile means, and which CPUs each of them should have.

Devices are meant by PCI address and vendor, never by the names of their interrupts: those of a ConnectX hold neither
"connectx" nor "roce". A vector is named by its device and its place among the device's vectors, because its IRQ number
is another one whenever the device comes back.
"""

__all__ = [
    "Place",
    "Placement",
    "Targets",
    "listed_addresses",
    "needs_move",
    "place_interrupts",
    "place_of",
    "targets_of",
    "vector_name",
]

import re
from dataclasses import dataclass
from enum import Enum

from sparktune.host.cpulist import CpuSet
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.interrupts import MELLANOX, NVIDIA, InterruptFacts, MsiDevice, MsiVector, likely_managed
from sparktune.host.placement import cores_of
from sparktune.model.node import NodeFacts
from sparktune.model.observed import Observed, absent
from sparktune.model.profile import IrqPolicy, Profile

_ADDRESS = re.compile(r"(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}:[0-9a-f]{2}\.[0-7])", re.ASCII)
# Base classes of the PCI Code and ID Assignment. Interrupts of bridges are those of slots and errors; a root port that
# NVIDIA made is not the GPU.
_NETWORK, _DISPLAY, _BRIDGE, _UNKNOWN = 0x02, 0x03, 0x06, -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """``devices`` that the profile means, by address; ``missing`` are listed and not there, ``wrong`` no addresses."""

    devices: tuple[MsiDevice, ...]
    missing: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Every vector may use all of ``cpus``; with ``spread`` the K-th one has the K-th of them, and begins again."""

    cpus: tuple[int, ...]
    spread: bool = False

    def wanted(self, place: int) -> CpuSet:
        """Return the CPUs of the vector at a place."""
        return frozenset({self.cpus[place % len(self.cpus)]}) if self.spread else frozenset(self.cpus)


class Place(Enum):
    """Where a vector is asked to go: INSIDE the CPUs that it should have, OUTSIDE, or that cannot be said."""

    INSIDE = "inside"
    OUTSIDE = "outside"
    UNKNOWN = "unknown"


def vector_name(device: MsiDevice, place: int) -> str:
    """Return the name of a vector, as steps and reports have it."""
    return f"{device.address}#{place}"


def targets_of(facts: InterruptFacts | None, profile: Profile) -> Observed[Targets]:
    """Return the GPUs, the ConnectX functions and the devices that the profile lists, and nothing else."""
    if facts is None:
        return absent()
    return facts.devices.map(lambda devices: _targets(devices, profile))


def listed_addresses(profile: Profile) -> tuple[str, ...]:
    """Return the listed devices as sysfs names them; words that are no addresses are left out."""
    found = (_address(text) for text in profile.irq_devices)
    return tuple(dict.fromkeys(address for address in found if address is not None))


def _targets(devices: tuple[MsiDevice, ...], profile: Profile) -> Targets:
    listed = {text: _address(text) for text in profile.irq_devices}
    there = {device.address for device in devices}
    wanted = {address for address in listed.values() if address is not None}
    return Targets(
        devices=tuple(one for one in devices if one.address in wanted or _of_the_profile(one)),
        missing=tuple(address for address in sorted(wanted) if address not in there),
        wrong=tuple(text for text, address in listed.items() if address is None),
    )


def _of_the_profile(device: MsiDevice) -> bool:
    """Tell whether a device is one of those meant. One that has no vectors now counts when it is a GPU or an adapter.

    NVIDIA's driver makes them when the GPU is opened first (nv_start_device in kernel-open/nvidia/nv.c).
    """
    if device.vendor not in {NVIDIA, MELLANOX}:
        return False
    base = _UNKNOWN if device.pci_class is None else device.pci_class >> 16
    return base != _BRIDGE and (bool(device.vectors) or base in {_NETWORK, _DISPLAY, _UNKNOWN})


def _address(text: str) -> str | None:
    """Return an address as sysfs has it: in small letters, with its domain."""
    match = _ADDRESS.fullmatch(text.strip().lower())
    return None if match is None else f"{match[1] or '0000'}:{match[2]}"


def place_interrupts(facts: NodeFacts, policy: IrqPolicy) -> Observed[Placement]:
    """Return the CPUs for a policy; UNREADABLE, with the reason, where fast and slow cores cannot be told apart."""
    return cores_of(facts).map(
        lambda cores: (
            Placement(cpus=_best_first(cores.performance, facts.get(CpuFacts)), spread=True)
            if policy is IrqPolicy.SPREAD
            else Placement(cpus=tuple(sorted(cores.efficiency)))
        )
    )


def _best_first(cpus: CpuSet, cpu: CpuFacts | None) -> tuple[int, ...]:
    """Order by the size of the L3 cache, then by capacity: on a GB10 19, 15-18, 5-9."""
    cache = {one: domain.size.value or 0 for domain in cpu.l3 for one in domain.cpus} if cpu else {}
    capacity = cpu.capacity if cpu else {}
    return tuple(sorted(cpus, key=lambda one: (-cache.get(one, 0), -capacity.get(one, 0), one)))


def place_of(vector: MsiVector, wanted: CpuSet) -> Place:
    """Tell where a vector is asked to go. Part of the CPUs is inside, too: irqbalance narrows what it is allowed."""
    if not vector.requested.value:
        return Place.UNKNOWN
    return Place.INSIDE if vector.requested.value <= wanted else Place.OUTSIDE


def needs_move(device: MsiDevice, placement: Placement) -> bool:
    """Whether a vector of a device is not where it should be, and can be moved."""
    return any(
        place_of(vector, placement.wanted(place)) is Place.OUTSIDE and not likely_managed(vector.name)
        for place, vector in enumerate(device.vectors)
    )
