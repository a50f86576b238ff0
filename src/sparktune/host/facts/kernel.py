"""Kernel, boot, distribution and firmware: what two nodes should have in common.

Sources: proc(5), os-release(5), sysfs-class-dmi (BIOS and embedded controller), sysfs-firmware-efi-esrt (versions of
updatable firmware, readable by root), ``runc --version``.
"""

__all__ = ["SOURCE", "Firmware", "KernelFacts"]

import re
from dataclasses import dataclass

from sparktune.host.facts._shared import assignments, bounded_int, first_known, output, shorten, word
from sparktune.model.node import FactSource
from sparktune.model.observed import Observed, absent
from sparktune.model.reads import ReadCommand, ReadFile, ReadFiles, Readings

_UNAME = ("uname", "-r")
_MACHINE = ("uname", "-m")
_RUNC = ("runc", "--version")
_VERSION = "/proc/version"
_CMDLINE = "/proc/cmdline"
_BOOT_ID = "/proc/sys/kernel/random/boot_id"
_OS = "/etc/os-release"
_DMI = "/sys/class/dmi/id"
_DMI_NAMES = ("bios_version", "bios_date", "ec_firmware_release", "product_name", "board_name")
_ESRT = "/sys/firmware/efi/esrt/entries/entry[0-9]*"

_ENTRY = re.compile(r"/entry(\d{1,6})/", re.ASCII)
_LINUX = re.compile(r"Linux version (\S{1,128})")
_RUNC_LINE = re.compile(r"runc version (\S{1,64})")
_MOST_WORDS = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Firmware:
    """One piece of firmware that the system can update: its class (a GUID) and version number."""

    kind: Observed[str]
    version: Observed[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelFacts:
    """``release`` as ``uname -r``; ``arguments`` of the kernel's command line in order; ``os`` its pretty name."""

    release: Observed[str]
    machine: Observed[str]
    arguments: Observed[tuple[str, ...]]
    os: Observed[str]
    boot_id: Observed[str]
    bios_version: Observed[str]
    bios_date: Observed[str]
    ec_version: Observed[str]
    product_name: Observed[str]
    board_name: Observed[str]
    firmware: tuple[Firmware, ...]
    runc: Observed[str]


def _parse(readings: Readings) -> KernelFacts:
    dmi = {name: readings.file(f"{_DMI}/{name}").map(word) for name in _DMI_NAMES}
    version = readings.file(_VERSION).map(lambda text: _first(_LINUX, text))
    return KernelFacts(
        release=first_known((output(readings.command(*_UNAME)).map(word), version)),
        machine=output(readings.command(*_MACHINE)).map(word),
        arguments=readings.file(_CMDLINE).map(lambda text: tuple(text.split()[:_MOST_WORDS])),
        os=readings.file(_OS).map(_pretty_name),
        boot_id=readings.file(_BOOT_ID).map(word),
        bios_version=dmi["bios_version"],
        bios_date=dmi["bios_date"],
        ec_version=dmi["ec_firmware_release"],
        product_name=dmi["product_name"],
        board_name=dmi["board_name"],
        firmware=_firmware(readings),
        runc=output(readings.command(*_RUNC)).map(lambda text: _first(_RUNC_LINE, text)),
    )


def _first(pattern: re.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    if match is None:
        message = f"no version in it: {shorten(text)!r}"
        raise ValueError(message)
    return match[1]


def _pretty_name(text: str) -> str:
    names = {key: value for _, key, value in assignments(text)}
    return word(names.get("PRETTY_NAME") or names.get("NAME", ""))


def _firmware(readings: Readings) -> tuple[Firmware, ...]:
    kinds, versions = readings.matching(f"{_ESRT}/fw_class"), readings.matching(f"{_ESRT}/fw_version")
    entries = sorted(path.rpartition("/")[0] for path in {*kinds, *versions} if _ENTRY.search(path))
    return tuple(
        Firmware(
            kind=kinds.get(f"{entry}/fw_class", absent()).map(word),
            version=versions.get(f"{entry}/fw_version", absent()).map(bounded_int),
        )
        for entry in dict.fromkeys(entries)
    )


SOURCE = FactSource(
    name="kernel",
    kind=KernelFacts,
    reads=(
        *(ReadCommand(argv=argv) for argv in (_UNAME, _MACHINE, _RUNC)),
        *(ReadFile(path=path) for path in (_VERSION, _CMDLINE, _BOOT_ID, _OS)),
        *(ReadFile(path=f"{_DMI}/{name}") for name in _DMI_NAMES),
        ReadFiles(pattern=f"{_ESRT}/fw_class"),
        ReadFiles(pattern=f"{_ESRT}/fw_version"),
    ),
    parse=_parse,
)
