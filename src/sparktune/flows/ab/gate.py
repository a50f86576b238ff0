"""Before a visit: the machines as warm as before the first one, where they have sensors that tell."""

__all__ = ["Gate", "SensorGate", "Started", "hottest"]

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sparktune.host.facts import gpu, memory, thermal
from sparktune.host.facts.gpu import GpuFacts
from sparktune.host.facts.memory import MemoryFacts
from sparktune.host.facts.thermal import ThermalFacts
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.fanout import observe_all
from sparktune.model.reads import Readings
from sparktune.units import Celsius, Seconds, format_duration

_READS = (*thermal.SOURCE.reads, *gpu.SOURCE.reads, *memory.SOURCE.reads)
_TEMPERATURE = "temperature_c"
_SAME: Celsius = 2.0
_LOOK_S: Seconds = 5.0
_LIMIT_S: Seconds = 600.0

Sensors = Mapping[str, float]
"""By node and what was read: ``spark1 temperature_c`` (the hottest), ``spark1 mem_available_bytes``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """What the sensors said when a visit began; ``notes`` are what has to be said of it."""

    sensors: Sensors = field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Gate(Protocol):
    """Waits until a visit may begin."""

    async def wait(self) -> Started:
        """Return when the machines are as cool as they were at the first call, or when that took too long."""

    async def read(self) -> Sensors:
        """Return what the sensors say now; nothing where nothing can be read."""


class SensorGate:
    """Reads temperatures of nodes, and waits for those that are hotter than at the first visit.

    A machine that is cooler is not waited for: the warm-up waves heat it, and in ABBA both arms begin so.
    """

    def __init__(
        self,
        nodes: Sequence[NodeTarget],
        say: Callable[[str], None],
        sleep: Callable[[Seconds], Awaitable[None]],
        monotonic_s: Callable[[], Seconds],
        first: Celsius | None = None,
    ) -> None:
        """Know these nodes; ``first`` is the temperature at the first visit of an experiment that is resumed."""
        self._nodes = nodes
        self._say = say
        self._sleep = sleep
        self._monotonic_s = monotonic_s
        self._first = first
        self._told = False

    async def wait(self) -> Started:
        """Return when no node is more than 2 degrees hotter than at the first visit, after 10 minutes at most."""
        began_s = self._monotonic_s()
        while True:
            sensors = await self.read()
            now = hottest(sensors)
            if now is None:
                self._tell_once()
                return Started(sensors=sensors)
            if self._first is None:
                self._first = now
            if now <= self._first + _SAME:
                return Started(sensors=sensors)
            if self._monotonic_s() - began_s > _LIMIT_S:
                warm = (
                    f"began at {now:.0f} degrees, {now - self._first:.0f} more than the first, after the longest wait"
                )
                return Started(sensors=sensors, notes=(warm,))
            self._say(f"{now:.0f} degrees: waiting for {self._first + _SAME:.0f}, {format_duration(_LIMIT_S)} at most")
            await self._sleep(_LOOK_S)

    async def read(self) -> Sensors:
        """Ask all nodes; one that does not answer says nothing."""
        if not self._nodes:
            return {}
        answers = await observe_all(self._nodes, _READS)
        return {
            f"{answer.target.name} {name}": value
            for answer in answers
            if answer.readings is not None
            for name, value in _sensors(answer.readings).items()
        }

    def _tell_once(self) -> None:
        if not self._told:
            self._say("no sensors tell how warm the machines are; heat is left to the alternating order")
        self._told = True


def hottest(sensors: Sensors) -> Celsius | None:
    """Return the highest temperature among readings, None without one."""
    return max((value for name, value in sensors.items() if name.endswith(_TEMPERATURE)), default=None)


def _sensors(readings: Readings) -> dict[str, float]:
    heat: ThermalFacts = thermal.SOURCE.parse(readings)
    cards: GpuFacts = gpu.SOURCE.parse(readings)
    sizes: MemoryFacts = memory.SOURCE.parse(readings)
    zones = [zone.temperature.value for zone in heat.zones]
    chips = [one.value.value for chip in heat.chips for one in chip.sensors if one.kind == "temp"]
    gpus = [card.temperature.value for card in cards.gpus.value or ()]
    known = [value for value in (*zones, *chips, *gpus) if value is not None]
    clocks = [hertz for card in cards.gpus.value or () if (hertz := card.sm_clock_hz.value) is not None]
    found = {_TEMPERATURE: max(known)} if known else {}
    found |= {"gpu_clock_hz": max(clocks)} if clocks else {}
    available = sizes.available.value
    return {**found, "mem_available_bytes": float(available)} if available is not None else found
