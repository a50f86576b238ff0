"""``place scan``: find the threads that want a core always, over several windows, and say of each what it is.

First one short look at every thread tells who wants a core at all; only these are watched, window by window, beside the
idle gate. A node where nobody does is answered for after that look. Nothing is changed.
"""

__all__ = ["NodeScan", "PlaceScan", "scan_all", "scan_nodes"]

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sparktune.engines import role_of
from sparktune.errors import ExitCode, NodeError
from sparktune.flows.place.requests import Requests
from sparktune.host.core_types import CoreSplit
from sparktune.host.cpulist import CpuSet
from sparktune.host.facts import cpu, interrupts, thermal
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.interrupts import InterruptFacts
from sparktune.host.facts.thermal import ThermalFacts
from sparktune.host.irq_hits import TABLE_READ, irq_hits, rates_on
from sparktune.host.pollers.evidence import evidence_of, evidence_reads, process_reads
from sparktune.host.pollers.idle import DEVICE_READS, GATE_READS, Devices, devices_of, gate_between
from sparktune.host.pollers.judge import LEAST_DEMAND, placed
from sparktune.host.pollers.windows import SURVEY_READS, Look, looks_of, reads_of, survey, window_between
from sparktune.io.cluster import NodeTarget
from sparktune.io.together import together
from sparktune.io.transport.session import NodeSession
from sparktune.model.observed import Observed
from sparktune.model.place import IrqHit, Poller, PollerVerdict, ThreadSeen, ThreadWindow
from sparktune.model.reads import ReadFile, Readings
from sparktune.model.sample import Sample
from sparktune.units import Celsius, Nanoseconds, Seconds, seconds_between

_SURVEY_S: Seconds = 1.0
_MOST_WATCHED = 200
_UPTIME = "/proc/uptime"
_TICKS_PER_S = 100
_SILENT_S: Seconds = 30.0
_Key = tuple[int, int]
Say = Callable[[str, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeScan:
    """What one node's threads are. ``pollers`` leaves out those that are NOT; ``threads`` counts all that were seen.

    ``heat`` are temperatures by sensor after the last window; ``interrupts`` those that hit performance cores often
    meanwhile. ``notes`` say what could not be told, and why.
    """

    node: str
    pollers: tuple[Poller, ...] = ()
    threads: int = 0
    windows: int = 0
    heat: Mapping[str, Celsius] = field(default_factory=dict)
    interrupts: tuple[IrqHit, ...] = ()
    notes: tuple[str, ...] = ()
    failure: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceScan:
    """All nodes, in the order in which they were named."""

    nodes: tuple[NodeScan, ...]

    @property
    def exit_code(self) -> ExitCode:
        """FAILED when a node did not answer, DIFFERENCES when a thread polls or may, else DONE."""
        if any(node.failure for node in self.nodes):
            return ExitCode.FAILED
        found = {poller.verdict for node in self.nodes for poller in node.pollers}
        return ExitCode.DIFFERENCES if found & {PollerVerdict.CERTAIN, PollerVerdict.LIKELY} else ExitCode.DONE


def scan_nodes(
    targets: Sequence[NodeTarget],
    *,
    windows: int,
    window_s: Seconds,
    endpoint: str,
    say: Say = lambda _node, _what: None,
) -> PlaceScan:
    """Scan all nodes at once. What is wrong with one is in its answer; raises UsageError for a bad name or address."""
    return asyncio.run(scan_all(targets, windows=windows, window_s=window_s, endpoint=endpoint, say=say))


async def scan_all(
    targets: Sequence[NodeTarget],
    *,
    windows: int,
    window_s: Seconds,
    endpoint: str,
    say: Say = lambda _node, _what: None,
) -> PlaceScan:
    """Scan all nodes at once, as ``scan_nodes`` does, in a loop that runs already."""
    async with Requests(endpoint) as requests:
        scans = [_Scan(target, requests, windows, window_s, say).run() for target in targets]
        return PlaceScan(nodes=await together(*scans))


class _Scan:
    """The scan of one node."""

    def __init__(self, target: NodeTarget, requests: Requests, windows: int, window_s: Seconds, say: Say) -> None:
        self._target, self._requests, self._say = target, requests, say
        self._count, self._window_s = windows, window_s
        self._windows: dict[_Key, list[ThreadWindow | None]] = {}
        self._tables: list[tuple[Nanoseconds, str]] = []

    async def run(self) -> NodeScan:
        name = self._target.name
        if self._target.root is not None:
            why = "a captured tree stands still: no thread of it can be watched"
            return NodeScan(node=name, failure=why, hint="name a running node, or give what top -H printed: --top FILE")
        try:
            async with NodeSession(self._target) as session:
                return await self._scan(session)
        except NodeError as error:
            return NodeScan(node=name, failure=str(error), hint=error.hint)

    async def _scan(self, session: NodeSession) -> NodeScan:
        name = self._target.name
        self._say(name, "looking at every thread")
        reads = (*cpu.SOURCE.reads, *DEVICE_READS, ReadFile(path=_UPTIME))
        first = await session.observe(reads)
        asked = (*SURVEY_READS, TABLE_READ)
        looks = [self._look(one) async for one in session.sample(asked, interval_s=_SURVEY_S, count=2)]
        wanting = survey(looks[0], looks[-1], LEAST_DEMAND)
        keys = wanting[:_MOST_WATCHED]
        last = await self._watch(session, keys, devices_of(first)) if keys else looks[-1]
        threads = [key for key in keys if key in last.threads and None not in self._windows[key]]
        readings = await session.observe(
            (*thermal.SOURCE.reads, *process_reads({pid for pid, _ in threads}), *evidence_reads(threads))
        )
        cores = _cores(first)
        split = cores.value
        fast, slow = (split.performance, split.efficiency) if split else (frozenset[int](), frozenset[int]())
        pollers = [placed(name, self._seen(key, last, first, readings), fast, slow) for key in threads]
        return NodeScan(
            node=name,
            pollers=tuple(one for one in pollers if one.verdict is not PollerVerdict.NOT),
            threads=len(looks[-1].threads),
            windows=self._count if keys else 1,
            heat=_heat(readings),
            interrupts=await self._interrupts(session, fast),
            notes=self._notes(len(wanting), len(keys) - len(threads), cores),
        )

    async def _watch(self, session: NodeSession, keys: Sequence[_Key], devices: Devices) -> Look:
        """Watch some threads, window by window; return the last look."""
        self._windows = {key: [] for key in keys}
        before: tuple[Sample, Look] | None = None
        asked = (*reads_of(keys), *GATE_READS, TABLE_READ)
        samples = session.sample(asked, interval_s=self._window_s, count=self._count + 1, silent_s=_SILENT_S)
        last = Look(monotonic_ns=0)
        await self._requests.idle_since_last(self._target.name)
        async for sample in samples:
            last = self._look(sample)
            requests = await self._requests.idle_since_last(self._target.name)
            if before is not None:
                gate = gate_between(before[0], sample, devices, requests=requests)
                for key, windows in self._windows.items():
                    windows.append(window_between(before[1], last, key, asked_s=self._window_s, idle=gate.shown))
                self._say(self._target.name, f"window {sample.tick} of {self._count}: {len(keys)} threads want a core")
            before = sample, last
        return last

    def _look(self, sample: Sample) -> Look:
        self._tables.append((sample.monotonic_ns, sample.texts.get(TABLE_READ.path, "")))
        return looks_of(sample)

    async def _interrupts(self, session: NodeSession, fast: CpuSet) -> tuple[IrqHit, ...]:
        """Return what hit these cores from the first look to the last; whose they are is asked only then."""
        (began_ns, before), (ended_ns, after) = self._tables[0], self._tables[-1]
        rates = rates_on(fast, before, after, seconds_between(began_ns, ended_ns))
        if not rates:
            return ()
        facts: InterruptFacts = interrupts.SOURCE.parse(await session.observe(interrupts.SOURCE.reads))
        return irq_hits(rates, facts)

    def _seen(self, key: _Key, last: Look, first: Readings, readings: Readings) -> ThreadSeen:
        pid, tid = key
        look = last.threads[key]
        process = (readings.file(f"/proc/{pid}/comm").value or look.name).strip()
        argv = tuple((readings.file(f"/proc/{pid}/cmdline").value or "").rstrip("\0").split("\0"))
        argv = argv if argv != ("",) else ()
        role = role_of(process, argv)
        cgroup = (readings.file(f"/proc/{pid}/cgroup").value or "").strip()
        return ThreadSeen(
            pid=pid,
            tid=tid,
            start_ticks=look.start_ticks,
            name=look.name,
            process=process,
            argv=argv,
            engine=role.engine if role else "",
            role=role.role if role else "",
            age_s=_age(first, look.start_ticks),
            allowed=look.allowed,
            cgroup=cgroup.removeprefix("0::") if cgroup.startswith("0::") else "",
            windows=tuple(one for one in self._windows[key] if one is not None),
            evidence=evidence_of(pid, tid, readings),
        )

    def _notes(self, wanting: int, lost: int, cores: Observed[CoreSplit]) -> tuple[str, ...]:
        notes = []
        if wanting > _MOST_WATCHED:
            notes.append(f"{wanting} threads want a core; the {_MOST_WATCHED} that want most were watched")
        if lost:
            notes.append(f"{lost} threads ended, or a window of theirs was missed: nothing is said of them")
        if wanting and self._requests.why_untold:
            notes.append(f"whether requests run is not told: {self._requests.why_untold}")
        if cores.value is None and (wanting or not cores.why):
            notes.append(cores.why or "which cores are fast and which are slow is not told")
        return tuple(notes)


def _cores(readings: Readings) -> Observed[CoreSplit]:
    facts: CpuFacts = cpu.SOURCE.parse(readings)
    return facts.split


def _age(first: Readings, start_ticks: int) -> Seconds | None:
    words = (first.file(_UPTIME).value or "").split()
    try:
        return float(words[0]) - start_ticks / _TICKS_PER_S
    except (IndexError, ValueError):
        return None


def _heat(readings: Readings) -> dict[str, Celsius]:
    facts: ThermalFacts = thermal.SOURCE.parse(readings)
    found = {
        f"{chip.name} {sensor.label.value or sensor.number}": sensor.value.value
        for chip in facts.chips
        for sensor in chip.sensors
        if sensor.kind == "temp" and sensor.value.value is not None
    }
    zones = [zone.temperature.value for zone in facts.zones if zone.temperature.value is not None]
    return {**found, **({"hottest zone": max(zones)} if zones else {})}
