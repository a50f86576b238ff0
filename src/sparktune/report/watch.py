"""Frames of watched nodes: lines for a terminal of 80 columns, and JSON lines for scripts. Pure."""

__all__ = ["WatchedNode", "watch_json", "watch_lines"]

import json
from dataclasses import dataclass
from statistics import fmean

from sparktune.host.core_types import CoreSplit
from sparktune.host.cpulist import format_cpulist
from sparktune.host.facts.gpu import Gpu
from sparktune.host.guard import GUARD_AVAILABLE_BYTES
from sparktune.host.live import CoreLoad, Frame
from sparktune.report.bench.words import printable
from sparktune.units import NS_PER_S, format_bytes, format_percent

_STEPS = " ▁▂▃▄▅▆▇█"
_UNKNOWN = "unknown"
_LEAST_ROWS = 6
_MHZ = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedNode:
    """``split`` None where there are no fast and slow cores; ``frame`` None until two samples are there."""

    name: str
    split: CoreSplit | None = None
    frame: Frame | None = None
    failure: str = ""


def watch_lines(nodes: tuple[WatchedNode, ...], *, width: int, rows: int) -> list[str]:
    """Return at most ``rows`` lines of at most ``width`` columns; threads go first when there is little room."""
    each = max(_LEAST_ROWS, rows // max(1, len(nodes)))
    lines = [line for node in nodes for line in _node(node)[:each]]
    return [printable(line)[:width] for line in lines[:rows]]


def _node(node: WatchedNode) -> list[str]:
    if node.failure:
        return [f"no answer: {node.failure}"]
    frame = node.frame
    if frame is None:
        return [f"{node.name}: waiting for the second sample"]
    missed = f", {frame.missed} looks missed" if frame.missed else ""
    return [
        f"{node.name}: {_memory(frame)}{missed}",
        *_cores(frame, node.split),
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


def _cores(frame: Frame, split: CoreSplit | None) -> list[str]:
    if not frame.cores:
        return ["  cores  unknown"]
    if split is None:
        return [_group("cores", frame.cores)]
    return [
        _group(name, tuple(core for core in frame.cores if core.cpu in cpus))
        for name, cpus in (("fast", split.performance), ("slow", split.efficiency))
    ]


def _group(name: str, cores: tuple[CoreLoad, ...]) -> str:
    loads = [core.load for core in cores if core.load is not None]
    mean = format_percent(fmean(loads)) if loads else _UNKNOWN
    bars = "".join("?" if core.load is None else _STEPS[round(core.load * (len(_STEPS) - 1))] for core in cores)
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


def watch_json(node: WatchedNode) -> str:
    """Return one line of schema 1 for a node's newest frame, or for why there is none."""
    frame, split = node.frame, node.split
    document: dict[str, object] = {"schema": 1, "node": node.name}
    if node.failure:
        document["error"] = node.failure
    elif frame is not None:
        document |= {
            "wall_s": frame.wall_ns / NS_PER_S,
            "missed": frame.missed,
            "cores": [{"cpu": core.cpu, "type": _type(core.cpu, split), "load": core.load} for core in frame.cores],
            "hottest_zone_c": frame.hottest_zone,
            "gpus": [_gpu_record(gpu) for gpu in frame.gpus],
            "available_bytes": frame.available,
            "guard_bytes": GUARD_AVAILABLE_BYTES,
            "swap_used_bytes": frame.swap_used,
            "swap_in_pages_per_s": frame.swap_in_per_s,
            "swap_out_pages_per_s": frame.swap_out_per_s,
            "threads": [
                {"pid": one.pid, "tid": one.tid, "name": one.name, "cpu": one.cpu, "share": one.share}
                for one in frame.threads
            ],
        }
    return json.dumps(document, ensure_ascii=False) + "\n"


def _type(cpu: int, split: CoreSplit | None) -> str | None:
    if split is None:
        return None
    return "performance" if cpu in split.performance else "efficiency" if cpu in split.efficiency else None


def _gpu_record(gpu: Gpu) -> dict[str, object]:
    return {
        "index": gpu.index,
        "utilization_ratio": gpu.utilization.value,
        "sm_clock_hz": gpu.sm_clock_hz.value,
        "temperature_c": gpu.temperature.value,
        "power_w": gpu.power.value,
    }
