"""Watch a node at idle for one visit of a trial: let it settle, then measure; stop at once when there is work."""

__all__ = ["IdleSeen", "IdleWatch", "NodeWatch"]

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sparktune.experiment.idle_trial import HOTTEST_CHIP, HOTTEST_ZONE, OTHERS, Reading, Sensor, ThreadId
from sparktune.flows.place.requests import Requests
from sparktune.host.heat import FIRST_READS, TICK_READS, busy_cores, sensors_at
from sparktune.host.pollers.idle import DEVICE_READS, GATE_READS, Devices, devices_of, gate_between
from sparktune.host.pollers.windows import looks_of, reads_of, window_between
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.session import NodeSession
from sparktune.model.place import IdleGate, ThreadWindow
from sparktune.model.reads import Readings
from sparktune.model.sample import Sample
from sparktune.units import NS_PER_S, Ratio, Seconds, seconds_between

_LONGEST_TICK_S: Seconds = 5.0
_SHORTEST_TICK_S: Seconds = 0.2
_TICKS = 12  # in a measuring window
_SILENT_S: Seconds = 30.0
_GIGA = 1e9
_HALF = 2
_COUNTS = {"requests": "a request ran", "gpu": "the GPU worked", "rdma": "the RDMA ports carried data"}


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleSeen:
    """What a visit saw. ``busy`` says which work there was, "" for none; ``ended``: the thread is not there any more.

    ``idle`` is None where not all of it is told, and ``untold`` names what is not. ``at_s`` is the middle of the window
    on the node's own clock.
    """

    readings: Mapping[str, Reading] = field(default_factory=dict)
    demand: Ratio | None = None
    idle: bool | None = None
    untold: tuple[str, ...] = ()
    at_s: Seconds = 0.0
    busy: str = ""
    ended: bool = False


class IdleWatch(Protocol):
    """What measures a visit; the arm is set already."""

    async def measure(self, settle_s: Seconds, window_s: Seconds) -> IdleSeen:
        """Let the node settle, measure it, and return what was seen. Raises NodeError."""


@dataclass(slots=True)
class _Course:
    """What the ticks of the measuring window told, by sensor."""

    values: dict[str, list[float]] = field(default_factory=dict)
    kinds: dict[str, Sensor] = field(default_factory=dict)
    gates: list[IdleGate] = field(default_factory=list)

    def add(self, name: str, kind: Sensor, value: float) -> None:
        self.kinds[name] = kind
        self.values.setdefault(name, []).append(value)

    def readings(self) -> dict[str, Reading]:
        return {name: Reading(kind=self.kinds[name], **_summed(values)) for name, values in self.values.items()}


class NodeWatch:
    """Watches one thread and its node through the node's agent."""

    def __init__(self, target: NodeTarget, thread: ThreadId, requests: Requests) -> None:
        """Touch nothing."""
        self._target, self._thread, self._requests = target, thread, requests
        self._key = (thread.pid, thread.tid)

    async def measure(self, settle_s: Seconds, window_s: Seconds) -> IdleSeen:
        """Let the node settle, measure it, and return what was seen. Raises NodeError."""
        tick_s = max(_SHORTEST_TICK_S, min(_LONGEST_TICK_S, window_s / _TICKS))
        count = math.ceil((settle_s + window_s) / tick_s) + 1
        asked = (*reads_of([self._key]), *GATE_READS, *TICK_READS)
        async with NodeSession(self._target) as session:
            first = await session.observe((*FIRST_READS, *DEVICE_READS))
            samples = session.sample(asked, interval_s=tick_s, count=count, silent_s=_SILENT_S)
            await self._requests.idle_since_last(self._target.name)
            course, kept, before = _Course(), list[Sample](), None
            devices = devices_of(first)
            async for sample in samples:
                if not self._is_there(sample):
                    return IdleSeen(ended=True)
                busy = await self._gate(course, before, sample, devices)
                if busy:
                    return IdleSeen(busy=busy)
                if sample.tick * tick_s >= settle_s - tick_s / _HALF:
                    kept.append(sample)
                    self._add(course, first, sample)
                before = sample
        return self._seen(course, kept, tick_s)

    def _is_there(self, sample: Sample) -> bool:
        look = looks_of(sample).threads.get(self._key)
        return look is not None and look.start_ticks == self._thread.start_ticks

    async def _gate(self, course: _Course, before: Sample | None, sample: Sample, devices: Devices) -> str:
        """Keep whether the node was idle since the tick before; return which work there was."""
        requests = await self._requests.idle_since_last(self._target.name)
        if before is None:
            return ""
        gate = gate_between(before, sample, devices, requests=requests)
        course.gates.append(gate)
        return _work(gate)

    def _add(self, course: _Course, first: Readings, sample: Sample) -> None:
        look = looks_of(sample).threads.get(self._key)
        heat, power, clock = sensors_at(first, sample, look.core if look else None)
        zones = [value for name, value in heat.items() if name.startswith("zone ")]
        chips = [value for name, value in heat.items() if not name.startswith(("zone ", "GPU "))]
        for name, values in ((HOTTEST_ZONE, zones), (HOTTEST_CHIP, chips)):
            if values:
                course.add(name, Sensor.HEAT, max(values))
        for name, value in heat.items():
            course.add(name, Sensor.HEAT, value)
        for name, value in power.items():
            course.add(name, Sensor.POWER, value)
        if clock is not None:
            course.add("clock of its core", Sensor.CLOCK, clock / _GIGA)

    def _seen(self, course: _Course, kept: Sequence[Sample], tick_s: Seconds) -> IdleSeen:
        if len(kept) <= 1:
            return IdleSeen(busy="the node told nothing in time")
        looks = [looks_of(sample) for sample in kept]
        whole_s = seconds_between(kept[0].monotonic_ns, kept[-1].monotonic_ns)
        asked_s = max(whole_s, tick_s)
        window = window_between(looks[0], looks[-1], self._key, asked_s=asked_s, idle=None)
        self._add_cores(course, window, busy_cores(kept[0], kept[-1]))
        return IdleSeen(
            readings=_told_always(course, len(kept)),
            demand=window.demand if window else None,
            idle=True if course.gates and all(gate.shown for gate in course.gates) else None,
            untold=tuple(name for name in _COUNTS if any(getattr(gate, name) is None for gate in course.gates)),
            at_s=(kept[0].monotonic_ns + kept[-1].monotonic_ns) / _HALF / NS_PER_S,
        )

    def _add_cores(self, course: _Course, window: ThreadWindow | None, busy: float | None) -> None:
        if window is None:
            return
        course.add("cores used by the thread", Sensor.CORES, window.ran)
        if busy is not None:
            course.add(OTHERS, Sensor.CORES, max(busy - window.ran, 0.0))


def _work(gate: IdleGate) -> str:
    return " and ".join(words for name, words in _COUNTS.items() if getattr(gate, name) is False)


def _told_always(course: _Course, ticks: int) -> dict[str, Reading]:
    """Return the sensors that told something at half of the ticks at least; others are not of the whole window."""
    once = {name for name, kind in course.kinds.items() if kind is Sensor.CORES}
    return {
        name: reading
        for name, reading in course.readings().items()
        if name in once or len(course.values[name]) * _HALF >= ticks
    }


def _summed(values: Sequence[float]) -> dict[str, float]:
    middle = len(values) // _HALF
    rise = statistics.fmean(values[middle:]) - statistics.fmean(values[:middle]) if middle else 0.0
    return {"mean": statistics.fmean(values), "rise": rise}
