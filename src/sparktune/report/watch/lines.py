"""Frames of watched nodes as plain lines of 80 columns: for files and pipes, and for a terminal without more."""

__all__ = ["watch_lines"]

from statistics import fmean

from sparktune.host.core_types import CoreSplit
from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.gpu import Gpu
from sparktune.host.guard import GUARD_AVAILABLE_BYTES
from sparktune.host.live import CoreLoad, Frame
from sparktune.report.bench.words import printable
from sparktune.report.watch.marks import Glyphs
from sparktune.report.watch.marks import loads as bar_letters
from sparktune.report.watch.node import WatchedNode
from sparktune.units import format_bytes, format_percent

_UNKNOWN = "unknown"
_LEAST_ROWS = 6
_MHZ = 1e6


def watch_lines(nodes: tuple[WatchedNode, ...], *, width: int, rows: int, ascii_only: bool = False) -> list[str]:
    """Return at most ``rows`` lines of at most ``width`` columns; threads go first when there is little room."""
    each = max(_LEAST_ROWS, rows // max(1, len(nodes)))
    lines = [line for node in nodes for line in _node(node, Glyphs.of(ascii_only=ascii_only))[:each]]
    return [printable(line)[:width] for line in lines[:rows]]


def _node(node: WatchedNode, glyphs: Glyphs) -> list[str]:
    if node.failure:
        return [f"no answer: {node.failure}"]
    frame = node.frame
    if frame is None:
        return [f"{node.name}: waiting for the second sample"]
    missed = f", {frame.missed} looks missed" if frame.missed else ""
    return [
        f"{node.name}: {_memory(frame)}{missed}",
        *_cores(frame, node.split, glyphs),
        f"  heat   {_heat(frame)}",
        f"  swap   {_swap(frame)}",
        *(
            f"  {format_percent(one.share):>8}  {one.name:<16} {one.pid}/{one.tid} on CPU {one.cpu}"
            for one in frame.threads
        ),
    ]


def _memory(frame: Frame) -> str:
    if frame.available is None:
        return "MemAvailable unknown"
    total = f" of {format_bytes(frame.total)}" if frame.total is not None else ""
    low = "BELOW" if frame.available < GUARD_AVAILABLE_BYTES else "above"
    line = f"{low} the guard line {format_bytes(GUARD_AVAILABLE_BYTES)}"
    return f"MemAvailable {format_bytes(frame.available)}{total}, {line}"


def _cores(frame: Frame, split: CoreSplit | None, glyphs: Glyphs) -> list[str]:
    if not frame.cores:
        return ["  cores  unknown"]
    if split is None:
        return [_group("cores", frame.cores, glyphs)]
    return [
        _group(name, tuple(core for core in frame.cores if core.cpu in cpus), glyphs)
        for name, cpus in (("fast", split.performance), ("slow", split.efficiency))
    ]


def _group(name: str, cores: tuple[CoreLoad, ...], glyphs: Glyphs) -> str:
    loads = [core.load for core in cores if core.load is not None]
    mean = format_percent(fmean(loads)) if loads else _UNKNOWN
    bars = bar_letters([core.load for core in cores], glyphs)
    return f"  {name:<5}  [{bars}] {mean} of {format_cpulist(frozenset(core.cpu for core in cores))}"


def _heat(frame: Frame) -> str:
    zones = f"{frame.hottest_zone:.0f} C" if frame.hottest_zone is not None else _UNKNOWN
    return ", ".join([f"hottest zone {zones}", *(_gpu(gpu) for gpu in frame.gpus)])


def _gpu(gpu: Gpu) -> str:
    parts = (
        format_percent(gpu.utilization.value) if gpu.utilization.value is not None else "",
        f"{gpu.sm_clock_hz.value / _MHZ:.0f} MHz" if gpu.sm_clock_hz.value is not None else "",
        f"{gpu.temperature.value:.0f} C" if gpu.temperature.value is not None else "",
        f"{gpu.power.value:.0f} W" if gpu.power.value is not None else "",
    )
    return f"GPU {gpu.index} {' '.join(filter(None, parts)) or _UNKNOWN}"


def _swap(frame: Frame) -> str:
    used = format_bytes(frame.swap_used) if frame.swap_used is not None else _UNKNOWN
    if frame.swap_in_per_s is None or frame.swap_out_per_s is None:
        return f"{used} used, traffic unknown"
    return f"{used} used, {frame.swap_in_per_s:.0f} pages/s in, {frame.swap_out_per_s:.0f} out"
