"""Frames of watched nodes as JSON lines, for scripts: each with engine, drift and findings as known at that moment."""

__all__ = ["watch_json"]

import json

from sparktune.host.core_types import CoreSplit
from sparktune.host.facts.gpu import Gpu
from sparktune.host.guard import GUARD_AVAILABLE_BYTES
from sparktune.report.watch.beside import beside_members
from sparktune.report.watch.node import WatchedNode
from sparktune.report.watch.state import WatchState
from sparktune.units import NS_PER_S, Seconds


def watch_json(node: WatchedNode, state: WatchState, now_s: Seconds) -> str:
    """Return one line of schema 1: a node's newest frame, or why there is none, and what is watched beside the nodes.

    ``now_s`` is of the watcher's monotonic clock.
    """
    frame, split = node.frame, node.split
    document: dict[str, object] = {"schema": 1, "node": node.name}
    if node.failure:
        document["error"] = node.failure
    elif frame is not None:
        document |= {
            "wall_s": frame.wall_ns / NS_PER_S,
            "missed": frame.missed,
            "cores": [
                {"cpu": core.cpu, "type": _type(core.cpu, split), "load": core.load, "clock_hz": core.clock_hz}
                for core in frame.cores
            ],
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
    return json.dumps(document | beside_members(state, now_s), ensure_ascii=False) + "\n"


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
