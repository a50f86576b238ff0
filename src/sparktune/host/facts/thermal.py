"""Temperatures and power: hwmon chips and thermal zones.

Sources: Documentation/hwmon/sysfs-interface.rst (millidegrees, microwatts, microjoules) and
Documentation/driver-api/thermal/sysfs-api.rst. ``hwmonN`` changes from boot to boot, so a chip is its name and its
place among the chips of that name by device path. A GB10 has seven zones, all called ``acpitz``. The ``spbm`` chip,
with power and heat of CPU clusters and GPU, is there when its driver (github.com/antheas/spark_hwmon) is installed.
"""

__all__ = ["SOURCE", "Chip", "Sensor", "ThermalFacts", "Zone"]

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sparktune.host.facts._shared import bounded_int, by_number, first_known, word
from sparktune.model.node import FactSource
from sparktune.model.observed import Observed, absent
from sparktune.model.reads import ReadFiles, Readings, ReadLinks
from sparktune.units import Celsius

_CHIPS = "/sys/class/hwmon/hwmon[0-9]*"
_KINDS = {"temp": 1e3, "power": 1e6, "energy": 1e6}
_INPUTS = tuple(f"{_CHIPS}/{kind}[0-9]*_input" for kind in _KINDS)
_LABELS = tuple(f"{_CHIPS}/{kind}[0-9]*_label" for kind in _KINDS)
_LIMITS = f"{_CHIPS}/temp[0-9]*_crit"
_PROCHOT = f"{_CHIPS}/prochot"
_POWER_LEVEL = f"{_CHIPS}/pl_level"
_ZONES = "/sys/class/thermal/thermal_zone[0-9]*"

_CHIP_NUMBER = re.compile(r"/hwmon(\d{1,6})/", re.ASCII)
_CHIP_LINK = re.compile(r"/hwmon(\d{1,6})/device$", re.ASCII)
_ZONE_NUMBER = re.compile(r"/thermal_zone(\d{1,6})/", re.ASCII)
_INPUT = re.compile(r"/hwmon(\d{1,6})/(temp|power|energy)(\d{1,6})_input$", re.ASCII)
_COLDEST, _HOTTEST = -100_000, 250_000  # millidegrees; beyond them a sensor says that it has no value


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensor:
    """``kind`` is temp (degrees Celsius), power (watts) or energy (joules); ``critical`` of temperatures only."""

    kind: str
    number: int
    label: Observed[str]
    value: Observed[float]
    critical: Observed[Celsius]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """A hwmon chip: ``index`` counts chips of this ``name`` from 0, by the path of their device."""

    name: str
    index: int
    device: str
    sensors: tuple[Sensor, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Zone:
    """A thermal zone; ``type`` may be the same for all of them."""

    number: int
    type: Observed[str]
    temperature: Observed[Celsius]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThermalFacts:
    """Chips by name and index, zones by number; empty where a machine has none.

    ``prochot`` and ``power_level`` are of the ``spbm`` chip, ABSENT without it: whether heat throttles the whole chip
    (0: no), and the power limit that rules now.
    """

    chips: tuple[Chip, ...]
    zones: tuple[Zone, ...]
    prochot: Observed[int]
    power_level: Observed[int]


def _parse(readings: Readings) -> ThermalFacts:
    return ThermalFacts(
        chips=_chips(readings),
        zones=_zones(readings),
        prochot=_only(readings.matching(_PROCHOT)),
        power_level=_only(readings.matching(_POWER_LEVEL)),
    )


def _only(files: Mapping[str, Observed[str]]) -> Observed[int]:
    return first_known(files.values()).map(bounded_int)


def _chips(readings: Readings) -> tuple[Chip, ...]:
    names = by_number(readings.matching(f"{_CHIPS}/name"), _CHIP_NUMBER)
    links = readings.links.get(f"{_CHIPS}/device", {})
    devices = {
        int(match[1]): target for path, target in links.items() if (match := _CHIP_LINK.search(path)) is not None
    }
    sensors = _sensors(readings)
    known = {number: name for number, text in names.items() if (name := text.map(word).value) is not None}
    chips: list[Chip] = []
    for number in sorted(known, key=lambda chip: (known[chip], devices.get(chip, ""), chip)):
        index = sum(chip.name == known[number] for chip in chips)
        found = tuple(sorted(sensors.get(number, ()), key=lambda sensor: (sensor.kind, sensor.number)))
        chips.append(Chip(name=known[number], index=index, device=devices.get(number, ""), sensors=found))
    return tuple(chips)


def _sensors(readings: Readings) -> dict[int, list[Sensor]]:
    labels = {path: text for pattern in _LABELS for path, text in readings.matching(pattern).items()}
    limits = readings.matching(_LIMITS)
    found: dict[int, list[Sensor]] = {}
    for pattern in _INPUTS:
        for path, text in readings.matching(pattern).items():
            match = _INPUT.search(path)
            if match is not None:
                found.setdefault(int(match[1]), []).append(_sensor(match, text, labels, limits))
    return found


def _sensor(
    match: re.Match[str], text: Observed[str], labels: Mapping[str, Observed[str]], limits: Mapping[str, Observed[str]]
) -> Sensor:
    kind = match[2]
    stem = match.string.removesuffix("input")
    return Sensor(
        kind=kind,
        number=int(match[3]),
        label=labels.get(f"{stem}label", absent()).map(word),
        value=text.map(_celsius) if kind == "temp" else text.map(lambda value: bounded_int(value) / _KINDS[kind]),
        critical=limits.get(f"{stem}crit", absent()).map(_celsius),
    )


def _zones(readings: Readings) -> tuple[Zone, ...]:
    types = by_number(readings.matching(f"{_ZONES}/type"), _ZONE_NUMBER)
    values = by_number(readings.matching(f"{_ZONES}/temp"), _ZONE_NUMBER)
    return tuple(
        Zone(
            number=number,
            type=types.get(number, absent()).map(word),
            temperature=values.get(number, absent()).map(_celsius),
        )
        for number in sorted({*types, *values})
    )


def _celsius(text: str) -> Celsius:
    value = bounded_int(text)
    if not _COLDEST < value < _HOTTEST:
        message = f"no temperature: {value} millidegrees"
        raise ValueError(message)
    return value / _KINDS["temp"]


SOURCE = FactSource(
    name="thermal",
    kind=ThermalFacts,
    reads=(
        ReadFiles(pattern=f"{_CHIPS}/name"),
        ReadLinks(pattern=f"{_CHIPS}/device"),
        *(ReadFiles(pattern=pattern) for pattern in (*_INPUTS, *_LABELS, _LIMITS, _PROCHOT, _POWER_LEVEL)),
        ReadFiles(pattern=f"{_ZONES}/type"),
        ReadFiles(pattern=f"{_ZONES}/temp"),
    ),
    parse=_parse,
)
