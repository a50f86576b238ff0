"""gpu-low-power: a GPU that is busy stays at a low clock and draws little: the stuck low-power state of a GB10.

Looks at: SM clock, utilisation and power of each GPU over the last 15 seconds (nvidia-smi is asked every five).
Stops when: in all of them a GPU was 90 % busy or more, below ``low_clock_hz`` (900 MHz) and below 60 W.
Unknown when: nvidia-smi does not tell all three, or there are no 15 seconds of it yet.
Source: https://github.com/Blackwellboy/model-serving-minefield/pull/55; https://github.com/hasso5703/dgx-spark-qwen38/issues/8:
    P0, full use and no throttling are shown, while the clock is a third of normal and 42.7 instead of 73.9 tok/s come
    out. At idle the clock looks healthy.
"""

__all__ = ["GUARD"]

from collections.abc import Sequence

from sparktune.experiment.guards._shared import recent, trip
from sparktune.model.guard import GpuTick, Guard, GuardView, HostTick, Limits, Trip
from sparktune.units import NS_PER_S, Hertz, format_percent

_ID = "gpu-low-power"
_SPAN_S = 15.0
_FEWEST = 4
_BUSY = 0.9
_LITTLE_W = 60.0
_MHZ = 1e6
_HINT = (
    "shut down, take the original power adapter off the mains for a minute, start again; locking clocks "
    "(nvidia-smi -lgc) does not help. What was measured since it began is void"
)


def _judge(view: GuardView, limits: Limits) -> Trip | None:
    low = limits.low_clock_hz
    if low is None or view.ticks[-1].monotonic_ns - view.ticks[0].monotonic_ns < _SPAN_S * NS_PER_S * 0.9:
        return None
    known = [tick for tick in recent(view.ticks, _SPAN_S) if tick.gpus]
    if len(known) < _FEWEST or known[-1] is not view.ticks[-1]:
        return None
    for place, gpu in enumerate(known[-1].gpus):
        if _stuck_in_all(known, place, low) and gpu.sm_clock is not None and gpu.power is not None:
            evidence = (
                f"GPU {place} ran at {gpu.sm_clock / _MHZ:.0f} MHz (limit {low / _MHZ:.0f}) and {gpu.power:.0f} W "
                f"under {format_percent(gpu.utilisation or 0.0)} load for {_SPAN_S:.0f} s"
            )
            return trip(_ID, view, evidence, _HINT)
    return None


def _stuck_in_all(ticks: Sequence[HostTick], place: int, low: Hertz) -> bool:
    return all(place < len(tick.gpus) and _is_stuck(tick.gpus[place], low) for tick in ticks)


def _is_stuck(gpu: GpuTick, low: Hertz) -> bool:
    if gpu.sm_clock is None or gpu.utilisation is None or gpu.power is None:
        return False
    return gpu.sm_clock < low and gpu.utilisation >= _BUSY and gpu.power < _LITTLE_W


GUARD = Guard(
    id=_ID,
    title="The GPU is not stuck in a low-power state",
    why="Whatever is measured then describes the power supply; it takes a cold start to get out of it.",
    source="https://github.com/Blackwellboy/model-serving-minefield/pull/55; "
    "https://github.com/hasso5703/dgx-spark-qwen38/issues/8",
    needs=("gpus.sm_clock", "gpus.utilisation", "gpus.power"),
    limit="low_clock_hz",
    judge=_judge,
)
