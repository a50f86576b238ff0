"""memory-floor: the memory that programs can still have (MemAvailable) has fallen to the floor.

Looks at: MemAvailable of /proc/meminfo, at every tick.
Stops when: it is below ``available_floor`` (3 GiB unless said otherwise), once.
Unknown when: the node does not tell MemAvailable.
Source: https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash docs/07, whose guard stops at 3 GiB; CPU and GPU of
    a GB10 share one pool, and a machine that runs out of it hangs until somebody pulls the plug.
"""

__all__ = ["GUARD"]

from sparktune.experiment.guards._shared import trip
from sparktune.model.guard import Guard, GuardView, Limits, Trip
from sparktune.units import format_bytes

_ID = "memory-floor"
_HINT = (
    "give the engine less: a shorter context, fewer sequences, a smaller gpu-memory-utilization (vLLM) or "
    "mem-fraction-static (SGLang); see who holds memory with: sparktune doctor"
)


def _judge(view: GuardView, limits: Limits) -> Trip | None:
    last, floor = view.ticks[-1], limits.available_floor
    if floor is None or last.available is None or last.available >= floor:
        return None
    before = f", {format_bytes(view.first.available)} when this began" if view.first.available is not None else ""
    evidence = f"MemAvailable is {format_bytes(last.available)}, below the floor of {format_bytes(floor)}{before}"
    return trip(_ID, view, evidence, _HINT)


GUARD = Guard(
    id=_ID,
    title="Available memory above its floor",
    why="Below it the kernel reclaims instead of working, and a host with one pool of memory may hang as a whole.",
    source="https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash docs/07",
    needs=("available",),
    limit="available_floor",
    judge=_judge,
)
