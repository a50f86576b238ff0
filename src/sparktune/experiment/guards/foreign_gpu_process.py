"""foreign-gpu-process: somebody else computes on the GPU.

Looks at: the processes that nvidia-smi lists as computing, and which of them belong to what is measured.
Stops when: one that does not belong to it has come since the arm began, or holds 1 GiB or more.
Unknown when: nvidia-smi lists none, or it is not known which processes are those of the measured service.
Source: https://al-engr.com/spark-config-rethink.html: 15 tok/s became 4 to 6 with a second engine beside it. A desktop
    holds some 60 MiB, and is left alone when it was there before.
"""

__all__ = ["GUARD"]

from sparktune.experiment.guards._shared import trip
from sparktune.model.guard import GpuProcess, Guard, GuardView, Limits, Trip
from sparktune.units import Bytes, format_bytes

_ID = "foreign-gpu-process"
_LARGE: Bytes = 1024**3
_HINT = "end it, or measure when it has ended: both share one pool of memory and its bandwidth"


def _judge(view: GuardView, limits: Limits) -> Trip | None:
    last = view.ticks[-1].gpu_processes
    if not limits.foreign_gpu or last is None:
        return None
    before = view.first.gpu_processes
    there = None if before is None else {one.pid for one in before}
    for one in last:
        new = there is not None and one.pid not in there
        if one.ours is False and (new or (one.memory or 0) >= _LARGE):
            return trip(_ID, view, _evidence(one, new=new), _HINT)
    return None


def _evidence(one: GpuProcess, *, new: bool) -> str:
    holds = f" holds {format_bytes(one.memory)} of it and" if one.memory is not None else ""
    came = ", and came since this began" if new else ""
    return f"{one.name} (pid {one.pid}) computes on the GPU,{holds} is none of ours{came}"


GUARD = Guard(
    id=_ID,
    title="Nobody else computes on the GPU",
    why="They share one pool of memory and its bandwidth, so that the numbers are those of both.",
    source="https://al-engr.com/spark-config-rethink.html",
    needs=("gpu_processes.ours",),
    limit="foreign_gpu",
    judge=_judge,
)
