"""memory-free-floor: memory that is free at once (MemFree) has fallen to a floor. Off unless a floor is given.

Looks at: MemFree of /proc/meminfo, at every tick.
Stops when: it is below ``free_floor``, at two ticks in a row; at one while an engine starts or reads its first long
    prompt.
Unknown when: the node does not tell MemFree.
Off by default: a healthy machine that has read a model from its disk has little of it, because the rest is page cache
    that the kernel gives back when it is asked. It is worth a limit where the driver has been seen to want free pages
    at once (see driver-memory), and caches are dropped before each load.
Source: https://github.com/vllm-project/vllm/issues/56824: 1.25 GiB free of 22 GiB available, and the driver got none.
"""

__all__ = ["GUARD"]

from sparktune.experiment.guards._shared import trip
from sparktune.model.guard import Guard, GuardView, Limits, Trip
from sparktune.units import format_bytes

_ID = "memory-free-floor"
_HINT = "on a node that does nothing else, drop caches before a load: sync; echo 1 | sudo tee /proc/sys/vm/drop_caches"


def _judge(view: GuardView, limits: Limits) -> Trip | None:
    floor, wanted = limits.free_floor, 1 if view.tight else 2
    last = [tick.free for tick in view.ticks[-wanted:]]
    if floor is None or len(last) < wanted or not all(free is not None and free < floor for free in last):
        return None
    available = view.ticks[-1].available
    beside = f", MemAvailable {format_bytes(available)}" if available is not None else ""
    evidence = f"MemFree is {format_bytes(last[-1] or 0)}, below the floor of {format_bytes(floor)}{beside}"
    return trip(_ID, view, evidence, _HINT)


GUARD = Guard(
    id=_ID,
    title="Free memory above its floor",
    why="Page cache counts as available, but the GPU's driver cannot always use it at once.",
    source="https://github.com/vllm-project/vllm/issues/56824",
    needs=("free",),
    limit="free_floor",
    judge=_judge,
)
