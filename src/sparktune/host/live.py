"""A node as it is now: loads, heat, memory, GPU and hottest threads from two samples that follow each other.

Sources: proc(5) for /proc/stat and /proc/PID/task/TID/stat (times in ticks of 10 ms); the kernel's cpufreq for clocks
(scaling_cur_freq, kHz); the parsers of the other facts.
"""

__all__ = ["WATCH_READS", "CoreLoad", "Frame", "HotThread", "frame_of"]

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sparktune.host.facts import gpu, memory, thermal
from sparktune.host.facts.gpu import Gpu, GpuFacts
from sparktune.host.facts.memory import MemoryFacts
from sparktune.host.facts.thermal import ThermalFacts
from sparktune.model.observed import present
from sparktune.model.reads import CommandOutput, Read, ReadCommand, ReadFile, ReadFiles, Readings
from sparktune.model.sample import Sample
from sparktune.units import Bytes, Celsius, Hertz, Ratio, Seconds, seconds_between

_STAT = "/proc/stat"
_THREADS = "/proc/[0-9]*/task/[0-9]*/stat"
_SOURCES = (memory.SOURCE, thermal.SOURCE, gpu.SOURCE)
_ZONES = "/sys/class/thermal/thermal_zone[0-9]*/temp"
_CLOCKS = "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq"
_WANTED = ("/proc/meminfo", "/proc/vmstat", _ZONES)
WATCH_READS: tuple[Read, ...] = (
    ReadFile(path=_STAT),
    ReadFiles(pattern=_THREADS),
    ReadFiles(pattern=_CLOCKS),
    *(
        read
        for source in _SOURCES
        for read in source.reads
        if (isinstance(read, ReadFile) and read.path in _WANTED)
        or (isinstance(read, ReadFiles) and read.pattern in _WANTED)
        or (isinstance(read, ReadCommand) and "--query-gpu=index,name" in " ".join(read.argv))
    ),
)
"""What a watched node is asked for at every tick."""

_CPUS = "/sys/devices/system/cpu/"
_CLOCK = re.compile(_CPUS + r"cpu(\d{1,6})/cpufreq/scaling_cur_freq", re.ASCII)
_HZ_PER_KHZ = 1000.0
_CORE = re.compile(r"cpu(\d{1,6}) ((?:\d{1,20} ?){4,10})", re.ASCII)
_IDLE, _IOWAIT, _STEAL, _COUNTED = 3, 4, 7, 8  # guest time is in user time already
_TASK = re.compile(r"/proc/(\d{1,10})/task/(\d{1,10})/stat", re.ASCII)
_TICKS_PER_S = 100
_UTIME, _STIME, _STARTED, _LAST_CORE = 11, 12, 19, 36  # fields after the name
_NUMBER = re.compile(r"-?\d{1,20}", re.ASCII)
_MOST_HOT = 8
_LEAST_SHARE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreLoad:
    """``load`` is the share of the last interval in which the core worked; ``clock_hz`` is now. None where untold."""

    cpu: int
    load: Ratio | None
    clock_hz: Hertz | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HotThread:
    """``share`` is of one core."""

    pid: int
    tid: int
    name: str
    cpu: int
    share: Ratio


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One look at a node; None for what is not known. ``swap_*`` are pages per second."""

    wall_ns: int
    missed: int
    cores: tuple[CoreLoad, ...]
    hottest_zone: Celsius | None
    gpus: tuple[Gpu, ...]
    available: Bytes | None
    total: Bytes | None
    swap_used: Bytes | None
    swap_in_per_s: float | None
    swap_out_per_s: float | None
    threads: tuple[HotThread, ...]


def frame_of(before: Sample, now: Sample) -> Frame:
    """Compare two samples of one node. What one of them lacks is None, never 0."""
    elapsed = seconds_between(before.monotonic_ns, now.monotonic_ns)
    readings = _readings(now)
    old: MemoryFacts = memory.SOURCE.parse(_readings(before))
    new: MemoryFacts = memory.SOURCE.parse(readings)
    heat: ThermalFacts = thermal.SOURCE.parse(readings)
    cards: GpuFacts = gpu.SOURCE.parse(readings)
    total, free = new.swap_total.value, new.swap_free.value
    return Frame(
        wall_ns=now.wall_ns,
        missed=now.missed,
        cores=tuple(_cores(before.texts.get(_STAT, ""), now.texts.get(_STAT, ""), _clocks(now.texts))),
        hottest_zone=max((one for zone in heat.zones if (one := zone.temperature.value) is not None), default=None),
        gpus=cards.gpus.value or (),
        available=new.available.value,
        total=new.total.value,
        swap_used=None if total is None or free is None else total - free,
        swap_in_per_s=_rate(old.swapped_in_pages.value, new.swapped_in_pages.value, elapsed),
        swap_out_per_s=_rate(old.swapped_out_pages.value, new.swapped_out_pages.value, elapsed),
        threads=_hottest(before.texts, now.texts, elapsed),
    )


def _readings(sample: Sample) -> Readings:
    """Return a sample in the form that the sources of facts parse."""
    zones = {path: present(text) for path, text in sample.texts.items() if path.startswith("/sys/class/thermal/")}
    commands = {
        read.argv: present(CommandOutput(stdout=sample.texts[words], stderr="", code=0))
        for read in WATCH_READS
        if isinstance(read, ReadCommand) and (words := " ".join(read.argv)) in sample.texts
    }
    files = {path: present(sample.texts[path]) for path in _WANTED if path in sample.texts}
    return Readings(files=files, matches={_ZONES: zones}, commands=commands)


def _rate(before: int | None, now: int | None, elapsed: Seconds) -> float | None:
    if before is None or now is None or elapsed <= 0 or now < before:
        return None
    return (now - before) / elapsed


def _cores(before: str, now: str, clocks: Mapping[int, Hertz]) -> Iterator[CoreLoad]:
    old = _times(before)
    for cpu, times in _times(now).items():
        changes = [new - past for new, past in zip(times, old.get(cpu, ()), strict=False)]
        whole = sum(changes)
        # Stolen time is work of other virtual machines, not of this core.
        away = sum(changes[place] for place in (_IDLE, _IOWAIT, _STEAL) if place < len(changes))
        load = min(1.0, max(0.0, 1 - away / whole)) if whole > 0 else None
        yield CoreLoad(cpu=cpu, load=load, clock_hz=clocks.get(cpu))


def _clocks(texts: Mapping[str, str]) -> dict[int, Hertz]:
    found = ((_CLOCK.fullmatch(path), text.strip()) for path, text in texts.items() if path.startswith(_CPUS))
    return {int(match[1]): int(khz) * _HZ_PER_KHZ for match, khz in found if match and _NUMBER.fullmatch(khz)}


def _times(stat: str) -> dict[int, tuple[int, ...]]:
    lines = (_CORE.match(line) for line in stat.splitlines())
    return {int(match[1]): tuple(map(int, match[2].split()[:_COUNTED])) for match in lines if match}


def _hottest(before: Mapping[str, str], now: Mapping[str, str], elapsed: Seconds) -> tuple[HotThread, ...]:
    if elapsed <= 0:
        return ()
    found = []
    for path, text in now.items():
        match = _TASK.fullmatch(path)
        # A thread that did not work since has the same times, and the same text but for its state.
        past = before.get(path) if match else None
        if match is None or past is None or past == text:
            continue
        thread = _thread(int(match[1]), int(match[2]), past, text, elapsed)
        if thread is not None and thread.share >= _LEAST_SHARE:
            found.append(thread)
    return tuple(sorted(found, key=lambda one: (-one.share, one.pid, one.tid))[:_MOST_HOT])


def _thread(pid: int, tid: int, past: str, text: str, elapsed: Seconds) -> HotThread | None:
    name = text[text.find("(") + 1 : text.rfind(")")]
    old, new = _fields(past), _fields(text)
    # Another start time is another thread with the number of the first one.
    if old is None or new is None or old[_STARTED] != new[_STARTED]:
        return None
    ticks = new[_UTIME] + new[_STIME] - old[_UTIME] - old[_STIME]
    return HotThread(pid=pid, tid=tid, name=name, cpu=new[_LAST_CORE], share=ticks / _TICKS_PER_S / elapsed)


def _fields(text: str) -> tuple[int, ...] | None:
    """Return the numbers behind the name; the state, a letter, counts as 0."""
    words = text[text.rfind(")") + 1 :].split()[: _LAST_CORE + 1]
    if len(words) <= _LAST_CORE or not all(_NUMBER.fullmatch(word) for word in words[1:]):
        return None
    return (0, *(int(word) for word in words[1:]))
