"""What a node tells of heat, power and clocks, tick by tick: sensors by a name that stays the same over visits.

Sources: those of the facts that are parsed here (thermal, gpu); Documentation/admin-guide/pm/cpufreq.rst
(scaling_cur_freq in kHz); proc(5), stat (ticks of 10 ms by kind of work).
"""

__all__ = ["FIRST_READS", "TICK_READS", "busy_cores", "heat_and_power", "sensors_at"]

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from sparktune.host.facts import gpu, thermal
from sparktune.host.facts.gpu import GpuFacts
from sparktune.host.facts.thermal import Chip, ThermalFacts
from sparktune.model.observed import absent, present
from sparktune.model.reads import CommandOutput, Read, ReadCommand, ReadFile, ReadFiles, Readings, Sampled
from sparktune.model.sample import Sample
from sparktune.units import Celsius, Hertz, Seconds, Watts, seconds_between

_STAT: Final = "/proc/stat"
_CLOCK: Final = "/sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq"
_CLOCKS: Final = "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq"
_GPU_EVERY_S: Final[Seconds] = 5.0
_LONGEST_S: Final[Seconds] = 20.0
_TICKS_PER_S: Final = 100
_IDLE: Final = (3, 4)  # idle and waiting for a disk, among the numbers of stat
_COUNTED: Final = 8  # what follows, of guests, is counted in the first two already
_HERTZ_PER_KHZ: Final = 1000.0
_QUERY: Final = next(
    read.argv for read in gpu.SOURCE.reads if isinstance(read, ReadCommand) and "power.draw" in " ".join(read.argv)
)
_PATTERNS: Final = tuple(
    read.pattern
    for read in thermal.SOURCE.reads
    if isinstance(read, ReadFiles) and read.pattern.endswith(("_input", "/temp")) and "/energy" not in read.pattern
)

FIRST_READS: Final[tuple[Read, ...]] = (*thermal.SOURCE.reads, *gpu.SOURCE.reads)
"""What is read once: names and places of sensors, which do not change."""
TICK_READS: Final[tuple[Sampled, ...]] = (
    *(ReadFiles(pattern=pattern) for pattern in (*_PATTERNS, _CLOCKS)),
    ReadFile(path=_STAT),
    ReadCommand(argv=_QUERY, every_s=_GPU_EVERY_S, limit_s=_LONGEST_S),
)
"""What is read at every tick."""


def sensors_at(
    first: Readings, sample: Sample, core: int | None
) -> tuple[dict[str, Celsius], dict[str, Watts], Hertz | None]:
    """Return temperatures, power, and the clock of a core; a sensor that tells nothing now is not in it."""
    heat, power = heat_and_power(_now(first, sample))
    clock = sample.texts.get(_CLOCK.format(core), "").strip()
    return heat, power, int(clock) * _HERTZ_PER_KHZ if clock.isdecimal() else None


def heat_and_power(readings: Readings) -> tuple[dict[str, Celsius], dict[str, Watts]]:
    """Return what the answers to ``FIRST_READS`` tell of both, by sensor."""
    facts: ThermalFacts = thermal.SOURCE.parse(readings)
    cards: GpuFacts = gpu.SOURCE.parse(readings)
    heat = {f"zone {zone.number}": value for zone in facts.zones if (value := zone.temperature.value) is not None}
    power: dict[str, Watts] = {}
    for kind, name, value in _chips(facts):
        if kind != "energy":
            (heat if kind == "temp" else power)[name] = value
    for card in cards.gpus.value or ():
        if card.temperature.value is not None:
            heat[f"GPU {card.index}"] = card.temperature.value
        if card.power.value is not None:
            power[f"GPU {card.index} power"] = card.power.value
    return heat, power


def busy_cores(before: Sample, after: Sample) -> float | None:
    """Return how many cores all work of the node took between two ticks, None where it is not told."""
    first, last = _busy_ticks(before), _busy_ticks(after)
    elapsed = seconds_between(before.monotonic_ns, after.monotonic_ns)
    if first is None or last is None or elapsed <= 0:
        return None
    return (last - first) / _TICKS_PER_S / elapsed


def _busy_ticks(sample: Sample) -> int | None:
    words = sample.texts.get(_STAT, "").partition("\n")[0].split()
    numbers = words[1 : 1 + _COUNTED]
    if not words or words[0] != "cpu" or len(numbers) < _COUNTED or not all(word.isdecimal() for word in numbers):
        return None
    return sum(int(word) for place, word in enumerate(numbers) if place not in _IDLE)


def _now(first: Readings, sample: Sample) -> Readings:
    """Return the first look with the texts of now in the place of those that change."""
    now = {
        pattern: {
            path: present(sample.texts[path]) if path in sample.texts else absent() for path in first.matching(pattern)
        }
        for pattern in _PATTERNS
    }
    cards = sample.texts.get(" ".join(_QUERY))
    commands = {} if cards is None else {_QUERY: present(CommandOutput(stdout=cards, stderr="", code=0))}
    return replace(first, matches={**first.matches, **now}, commands=commands)


def _chips(facts: ThermalFacts) -> Iterator[tuple[str, str, float]]:
    for chip in facts.chips:
        for sensor in chip.sensors:
            if sensor.value.value is not None:
                yield sensor.kind, f"{_chip_name(chip)} {sensor.label.value or sensor.number}", sensor.value.value


def _chip_name(chip: Chip) -> str:
    return f"{chip.name}#{chip.index}" if chip.index else chip.name
