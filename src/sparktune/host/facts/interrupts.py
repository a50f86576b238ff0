"""Interrupts: their counts per CPU, their PCI devices, and the CPUs that they are asked to use and do use.

Sources: proc(5) for /proc/interrupts, Documentation/core-api/irq/irq-affinity.rst, sysfs-bus-pci for ``msi_irqs``.
Devices are found by PCI address and vendor, because driver names change: a ConnectX vector is called ``mlx5_comp0``.
"""

__all__ = [
    "MELLANOX",
    "NVIDIA",
    "SOURCE",
    "Interrupt",
    "InterruptFacts",
    "InterruptRate",
    "InterruptTable",
    "MsiDevice",
    "MsiVector",
    "interrupt_rates",
    "likely_managed",
    "parse_interrupts",
]

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sparktune.host.cpulist import CpuSet, parse_cpulist, parse_mask
from sparktune.host.facts._shared import bounded_int, by_number, shorten
from sparktune.model.node import FactSource
from sparktune.model.observed import Observed, absent, present, unreadable
from sparktune.model.reads import ReadFile, ReadFiles, Readings, ReadNames
from sparktune.units import Seconds

MELLANOX = 0x15B3
NVIDIA = 0x10DE

_TABLE = "/proc/interrupts"
_REQUESTED = "/proc/irq/[0-9]*/smp_affinity_list"
_EFFECTIVE = "/proc/irq/[0-9]*/effective_affinity_list"
_DEFAULT = "/proc/irq/default_smp_affinity"
_VECTORS = "/sys/bus/pci/devices/*/msi_irqs/*"
_VENDORS = "/sys/bus/pci/devices/*/vendor"
_CLASSES = "/sys/bus/pci/devices/*/class"

_IRQ_FOLDER = re.compile(r"/irq/(\d{1,9})/", re.ASCII)
_VECTOR = re.compile(r"/devices/([^/]{1,64})/msi_irqs/(\d{1,9})$", re.ASCII)
_DEVICE = re.compile(r"/devices/([^/]{1,64})/(?:vendor|class)$")
_HEADER = re.compile(r"CPU(\d{1,6})", re.ASCII)
_ROW = re.compile(r"\s*(\d{1,9}):\s*(.*)", re.ASCII)
_TRIGGERS = ("Level", "Edge")
# Queues that the kernel places itself and lets nobody move: of NVMe (not its admin queue 0) and of virtio block devices
_MANAGED_NAMES = re.compile(r"nvme\d+q[1-9]\d*|virtio\d+-req\.\d+", re.ASCII)
_COUNTER_SIZE = 2**32


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptTable:
    """/proc/interrupts: ``cpus`` are its columns; ``rows`` by IRQ number, counts in the order of ``cpus``."""

    cpus: tuple[int, ...]
    rows: Mapping[int, tuple[tuple[int, ...], str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interrupt:
    """One IRQ. ``device`` is the PCI address that owns the vector, None for others; ``vendor`` its vendor's id.

    ``counts`` since boot, by the columns of the table; ``name`` as the driver gave it, empty when nobody asked for the
    interrupt; ``requested`` and ``effective``: the CPUs that were asked for and those that the controller uses.
    """

    irq: int
    name: str
    chip: str
    counts: tuple[int, ...]
    device: str | None
    vendor: int | None
    requested: Observed[CpuSet]
    effective: Observed[CpuSet]


@dataclass(frozen=True, slots=True, kw_only=True)
class MsiVector:
    """One MSI vector: its IRQ number, which changes whenever the device comes back, and its CPUs.

    ``name`` and ``chip`` are empty for a vector that no driver asked for: it has no row in /proc/interrupts.
    """

    irq: int
    name: str
    chip: str
    requested: Observed[CpuSet]
    effective: Observed[CpuSet]


@dataclass(frozen=True, slots=True, kw_only=True)
class MsiDevice:
    """One PCI device; ``vectors`` by IRQ number, so that the K-th one stays the K-th when all numbers change.

    ``pci_class`` is the 24-bit class code. Without vectors the device has none now: mostly its driver is not loaded.
    """

    address: str
    vendor: int | None
    pci_class: int | None
    vectors: tuple[MsiVector, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptFacts:
    """``cpus`` names the columns of all ``counts``; ``default`` is the mask of interrupts that are yet to come.

    ``devices`` are all PCI devices by address, with all vectors that they have, those without a row in the table too.
    """

    cpus: tuple[int, ...]
    interrupts: Observed[tuple[Interrupt, ...]]
    default: Observed[CpuSet]
    devices: Observed[tuple[MsiDevice, ...]] = field(default_factory=absent)


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptRate:
    """Interrupts per second of one IRQ, by CPU; CPUs without any are left out."""

    irq: int
    name: str
    per_cpu: Mapping[int, float]


def parse_interrupts(text: str) -> InterruptTable:
    """Return the numbered rows of /proc/interrupts, whatever its number of columns. Raises ValueError on other text.

    Rows without a number (IPIs, NMI, errors) belong to no device and are left out, rows that are cut short too.
    """
    header, _, body = text.partition("\n")
    columns = header.split()
    matches = [_HEADER.fullmatch(column) for column in columns]
    cpus = tuple(int(match[1]) for match in matches if match)
    if not cpus or len(cpus) != len(columns):
        message = f"no table of interrupts: {shorten(header)!r}"
        raise ValueError(message)
    rows = {}
    for line in body.splitlines():
        match = _ROW.fullmatch(line)
        fields = match[2].split() if match else []
        if (
            match
            and len(fields) >= len(cpus)
            and all(field.isascii() and field.isdigit() for field in fields[: len(cpus)])
        ):
            counts = tuple(bounded_int(field[-20:]) for field in fields[: len(cpus)])
            rows[int(match[1])] = (counts, *_described(fields[len(cpus) :]))
    return InterruptTable(cpus=cpus, rows=rows)


def _described(fields: list[str]) -> tuple[str, str]:
    """Return chip and name: ``ITS-MSI 524288 Edge nvme0q0``, ``IO-APIC 4-edge ttyS0``; a name may hold spaces."""
    chip, rest = (fields[0], fields[1:]) if fields else ("", [])
    if rest:
        rest = rest[1:]  # the interrupt's number at its chip
    if rest and rest[0] in _TRIGGERS:
        rest = rest[1:]
    return shorten(chip), shorten(" ".join(rest))


def interrupt_rates(before: InterruptTable, after: InterruptTable, elapsed_s: Seconds) -> tuple[InterruptRate, ...]:
    """Return the rates between two samples, by IRQ, of interrupts that are the same in both; none for no time.

    Counters are 32 bits wide and wrap. An IRQ that changed its name is another one.
    """
    if elapsed_s <= 0:
        return ()
    rates = []
    for irq, (counts, _, name) in sorted(after.rows.items()):
        earlier = before.rows.get(irq)
        if earlier is None or earlier[2] != name:
            continue
        old = dict(zip(before.cpus, earlier[0], strict=True))
        deltas = {
            cpu: (count - old[cpu]) % _COUNTER_SIZE for cpu, count in zip(after.cpus, counts, strict=True) if cpu in old
        }
        per_cpu = {cpu: delta / elapsed_s for cpu, delta in deltas.items() if delta}
        rates.append(InterruptRate(irq=irq, name=name, per_cpu=per_cpu))
    return tuple(rates)


def likely_managed(name: str) -> bool:
    """Tell whether the kernel itself places an interrupt of this name, so that nobody can move it.

    No file says so; the proof is a write that fails with EPERM (EIO before Linux 6.13).
    """
    return _MANAGED_NAMES.fullmatch(name) is not None


def _parse(readings: Readings) -> InterruptFacts:
    table = readings.file(_TABLE).map(parse_interrupts)
    return InterruptFacts(
        cpus=table.value.cpus if table.value else (),
        interrupts=table.map(lambda found: _interrupts(found, readings)),
        default=readings.file(_DEFAULT).map(parse_mask),
        devices=_devices(table.value, readings),
    )


def _devices(table: InterruptTable | None, readings: Readings) -> Observed[tuple[MsiDevice, ...]]:
    """Return every PCI device; UNREADABLE when a listing is missing or cut, because half of it would mislead."""
    for pattern in (_VECTORS, _VENDORS):
        if pattern in readings.unread:
            return unreadable(readings.unread[pattern])
    vendors, classes = _ids(readings.matching(_VENDORS)), _ids(readings.matching(_CLASSES))
    irqs: dict[str, list[int]] = {address: [] for address in vendors}
    for irq, address in _owners(readings).items():
        irqs.setdefault(address, []).append(irq)
    requested, effective = _masks(readings, _REQUESTED), _masks(readings, _EFFECTIVE)
    rows = table.rows if table is not None else {}
    return present(
        tuple(
            MsiDevice(
                address=address,
                vendor=vendors.get(address),
                pci_class=classes.get(address),
                vectors=tuple(
                    MsiVector(
                        irq=irq,
                        name=rows[irq][2] if irq in rows else "",
                        chip=rows[irq][1] if irq in rows else "",
                        requested=requested.get(irq, absent()),
                        effective=effective.get(irq, absent()),
                    )
                    for irq in sorted(numbers)
                ),
            )
            for address, numbers in sorted(irqs.items())
        )
    )


def _owners(readings: Readings) -> dict[int, str]:
    matches = (_VECTOR.search(name) for name in readings.names.get(_VECTORS, ()))
    return {int(match[2]): match[1] for match in matches if match is not None}


def _ids(files: Mapping[str, Observed[str]]) -> dict[str, int | None]:
    found = ((_DEVICE.search(path), text) for path, text in files.items())
    return {match[1]: text.map(lambda word: bounded_int(word, 16)).value for match, text in found if match is not None}


def _masks(readings: Readings, pattern: str) -> dict[int, Observed[CpuSet]]:
    return {irq: text.map(parse_cpulist) for irq, text in by_number(readings.matching(pattern), _IRQ_FOLDER).items()}


def _interrupts(table: InterruptTable, readings: Readings) -> tuple[Interrupt, ...]:
    requested, effective = _masks(readings, _REQUESTED), _masks(readings, _EFFECTIVE)
    owners, vendors = _owners(readings), _ids(readings.matching(_VENDORS))
    return tuple(
        Interrupt(
            irq=irq,
            name=name,
            chip=chip,
            counts=counts,
            device=owners.get(irq),
            vendor=vendors.get(owners.get(irq, "")),
            requested=requested.get(irq, absent()),
            effective=effective.get(irq, absent()),
        )
        for irq, (counts, chip, name) in sorted(table.rows.items())
    )


SOURCE = FactSource(
    name="interrupts",
    kind=InterruptFacts,
    reads=(
        ReadFile(path=_TABLE, most_bytes=4 * 1024 * 1024),
        ReadFile(path=_DEFAULT),
        ReadFiles(pattern=_REQUESTED),
        ReadFiles(pattern=_EFFECTIVE),
        ReadFiles(pattern=_VENDORS),
        ReadFiles(pattern=_CLASSES),
        ReadNames(pattern=_VECTORS),
    ),
    parse=_parse,
)
