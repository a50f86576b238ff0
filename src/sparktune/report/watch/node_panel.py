"""One node on the screen: cores by type, heat, GPU, memory against the guard line, swap, hottest threads."""

__all__ = ["node_lines", "overview_line", "thread_line"]

from collections.abc import Iterator
from statistics import fmean
from typing import Final

from sparktune.host.core_types import CoreSplit
from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.gpu import Gpu
from sparktune.host.guard import GUARD_AVAILABLE_BYTES
from sparktune.host.live import CoreLoad, Frame, HotThread
from sparktune.report.bench.words import one_line
from sparktune.report.watch.marks import Glyphs, Line, Span, bad, bar, good, loads, plain, soft, warn
from sparktune.report.watch.state import NodeState
from sparktune.units import NS_PER_S, Hertz, Seconds, format_bytes, format_duration, format_percent

_UNKNOWN: Final = "unknown"
_BAR: Final = 20
_GHZ, _MHZ = 1e9, 1e6
_STALE_LOOKS: Final = 5
_LEAST_STALE_S: Final = 10.0
_NAME: Final = 12
_LEAST_TREND_S: Final = 5.0
_NEAR: Final = 2  # so many times the guard line is worth a look


def overview_line(state: NodeState, *, chosen: bool, now_s: Seconds, interval_s: Seconds) -> Line:
    """Return a node in one line: how its cores, memory and GPU are, or why that is not known."""
    mark = plain("> " if chosen else "  ")
    name = f"{one_line(state.node.name)[:_NAME]:<{_NAME}} "
    if state.node.failure:
        return (mark, bad(f"{name}no answer"), plain(f": {one_line(state.node.failure)}"))
    frame = state.node.frame
    if frame is None:
        return (mark, plain(name), soft("waiting for the second look"))
    stale = _stale(state, now_s, interval_s)
    split = state.node.split
    groups = _groups(frame, split)
    cores = "  ".join(f"{label} {_mean(cores):>5}" for label, cores in groups) or "cores unknown"
    heat = f"{frame.hottest_zone:.0f} C" if frame.hottest_zone is not None else "heat ?"
    gpu = f"GPU {_short_gpu(frame.gpus[0])}" if frame.gpus else "GPU ?"
    return (mark, plain(f"{name}{cores}  "), _short_memory(frame), plain(f"  {heat}  {gpu}"), *stale)


def node_lines(state: NodeState, glyphs: Glyphs, *, now_s: Seconds, interval_s: Seconds) -> tuple[Line, ...]:
    """Return all of a node but its threads."""
    node = state.node
    if node.failure:
        return ((bad("no answer"), plain(f": {one_line(node.failure)}")),)
    frame = node.frame
    if frame is None:
        return ((soft("waiting for the second look"),),)
    stale = _stale(state, now_s, interval_s)
    return (
        *((stale,) if stale else ()),
        *_core_lines(frame, node.split, glyphs),
        *_heat_lines(frame),
        *_memory_lines(state, frame, glyphs),
        (soft("swap    "), _swap(frame)),
    )


def _stale(state: NodeState, now_s: Seconds, interval_s: Seconds) -> Line:
    silent_s = now_s - state.seen_s
    if silent_s < max(_LEAST_STALE_S, _STALE_LOOKS * interval_s):
        return ()
    return (warn(f" no new look for {format_duration(silent_s)}"),)


def _groups(frame: Frame, split: CoreSplit | None) -> list[tuple[str, tuple[CoreLoad, ...]]]:
    if split is None:
        return [("cores", frame.cores)] if frame.cores else []
    named = (("fast", split.performance), ("slow", split.efficiency))
    found = [(name, tuple(core for core in frame.cores if core.cpu in cpus)) for name, cpus in named]
    return [(name, cores) for name, cores in found if cores]


def _mean(cores: tuple[CoreLoad, ...]) -> str:
    known = [core.load for core in cores if core.load is not None]
    return format_percent(fmean(known), digits=0) if known else "?"


def _core_lines(frame: Frame, split: CoreSplit | None, glyphs: Glyphs) -> Iterator[Line]:
    groups = _groups(frame, split)
    if not groups:
        yield (soft("cores   "), plain(_UNKNOWN))
    for name, cores in groups:
        known = [core.load for core in cores if core.load is not None]
        mean = format_percent(fmean(known)) if known else _UNKNOWN
        clocks = [core.clock_hz for core in cores if core.clock_hz is not None]
        clock = _clocks(min(clocks), max(clocks)) if clocks else "clocks unknown"
        bars = loads([core.load for core in cores], glyphs)
        where = format_cpulist(frozenset(core.cpu for core in cores))
        yield (soft(f"{name:<8}"), plain(f"[{bars}] {mean:>7}  "), plain(clock), soft(f"  CPU {where}"))


def _clocks(low: Hertz, high: Hertz) -> str:
    shown, other = f"{low / _GHZ:.2f}", f"{high / _GHZ:.2f}"
    return f"{shown} GHz" if shown == other else f"{shown} to {other} GHz"


def _heat_lines(frame: Frame) -> Iterator[Line]:
    zone = f"{frame.hottest_zone:.0f} C" if frame.hottest_zone is not None else _UNKNOWN
    first, *others = [f"GPU {gpu.index} {_gpu_words(gpu)}" for gpu in frame.gpus] or [f"GPU {_UNKNOWN}"]
    yield (soft("heat    "), plain(f"hottest zone {zone}; {first}"))
    yield from ((plain(f"        {words}"),) for words in others)


def _gpu_words(gpu: Gpu) -> str:
    """Return what a GPU tells, each thing by its name; a thing that it does not tell is unknown."""
    use, clock, heat, power = gpu.utilization.value, gpu.sm_clock_hz.value, gpu.temperature.value, gpu.power.value
    return ", ".join(
        (
            f"{format_percent(use)} used" if use is not None else "use unknown",
            f"{clock / _MHZ:.0f} MHz" if clock is not None else "clock unknown",
            f"{heat:.0f} C" if heat is not None else "heat unknown",
            f"{power:.1f} W" if power is not None else "power unknown",
        )
    )


def _short_gpu(gpu: Gpu) -> str:
    use, power = gpu.utilization.value, gpu.power.value
    shown = format_percent(use, digits=0) if use is not None else "?"
    return f"{shown} {power:.0f} W" if power is not None else shown


def _short_memory(frame: Frame) -> Span:
    if frame.available is None:
        return plain("free unknown")
    words = f"{format_bytes(frame.available)} free"
    if frame.available < GUARD_AVAILABLE_BYTES:
        return bad(f"{words} BELOW GUARD")
    return warn(f"{words} LOW") if frame.available < _NEAR * GUARD_AVAILABLE_BYTES else plain(words)


def _memory_lines(state: NodeState, frame: Frame, glyphs: Glyphs) -> Iterator[Line]:
    available, total = frame.available, frame.total
    if available is None:
        yield (soft("memory  "), plain("MemAvailable unknown"))
        return
    share = f" of {format_bytes(total)}" if total else ""
    part = 1 - available / total if total else 0.0
    used = f"[{bar(part, _BAR, glyphs)}] {format_percent(part)} used, " if total else ""
    yield (soft("memory  "), plain(f"{used}MemAvailable {format_bytes(available)}{share}"))
    away = format_bytes(abs(available - GUARD_AVAILABLE_BYTES))
    line = f"the guard line {format_bytes(GUARD_AVAILABLE_BYTES)}"
    place = (
        bad(f"{away} BELOW {line}")
        if available < GUARD_AVAILABLE_BYTES
        else warn(f"{away} above {line}: LOW")
        if available < _NEAR * GUARD_AVAILABLE_BYTES
        else good(f"{away} above {line}")
    )
    yield (soft("        "), place, plain(f"; {_trend_words(state)}"))


def _trend_words(state: NodeState) -> str:
    """Return how MemAvailable changed in the last minute, or in as much of it as was seen."""
    if not state.available:
        return "trend unknown"
    (begin_ns, before), (end_ns, now) = state.available[0], state.available[-1]
    seconds = (end_ns - begin_ns) / NS_PER_S
    if seconds < _LEAST_TREND_S:
        return "trend not known yet"
    change = now - before
    sign = "+" if change > 0 else "-" if change < 0 else ""
    return f"{sign}{format_bytes(abs(change))} in {format_duration(seconds)}"


def _swap(frame: Frame) -> Span:
    used = f"{format_bytes(frame.swap_used)} used" if frame.swap_used is not None else "use unknown"
    if frame.swap_in_per_s is None or frame.swap_out_per_s is None:
        return plain(f"{used}, traffic unknown")
    words = f"{used}, {frame.swap_in_per_s:.0f} pages/s in, {frame.swap_out_per_s:.0f} pages/s out"
    moving = frame.swap_in_per_s > 0 or frame.swap_out_per_s > 0
    return warn(f"{words}: SWAPPING") if moving else plain(words)


def _core_type(cpu: int, split: CoreSplit | None) -> str:
    """Return ``fast core``, ``slow core``, or ``core`` where types are not known."""
    if split is None:
        return "core"
    return "fast core" if cpu in split.performance else "slow core" if cpu in split.efficiency else "core"


def thread_line(thread: HotThread, split: CoreSplit | None) -> Line:
    """Return one thread: how much of one core it took, what it is, and where it ran last."""
    where = f"{_core_type(thread.cpu, split)} {thread.cpu}"
    ids = f"{thread.pid}/{thread.tid}"
    share = format_percent(thread.share)
    return (plain(f"{share:>8}  {one_line(thread.name):<16} "), plain(f"{where:<13} "), soft(f"process/thread {ids}"))
