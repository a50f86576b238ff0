"""driver-memory: the GPU's driver could not get memory, whatever MemAvailable says.

Looks at: lines of the kernel's log with NVRM and NV_ERR_NO_MEMORY (0x51), since the arm began.
Stops when: there are ``driver_lines`` (3) or more new ones; two while an engine starts or reads its first long prompt.
Unknown when: the kernel's log cannot be read: on most machines only root may.
Source: https://github.com/vllm-project/vllm/issues/56824 (22 GiB available, and the driver got none; from 163 such
    lines in a boot to one with expandable segments off); https://github.com/NVIDIA/open-gpu-kernel-modules/issues/1358;
    https://github.com/NVIDIA/dgx-spark-playbooks/issues/97; the same lines came before hosts that hung as a whole.
"""

__all__ = ["GUARD"]

import math

from sparktune.experiment.guards._shared import fraction, trip
from sparktune.model.guard import Guard, GuardView, HostTick, Limits, Trip
from sparktune.units import format_bytes

_ID = "driver-memory"
_HINT = (
    "the host is at risk: save your work and start nothing more here until it is understood. Wait until the kernel has "
    "given page cache back, or on a node that does nothing else drop it (sync; echo 1 | sudo tee "
    "/proc/sys/vm/drop_caches). Try PYTORCH_CUDA_ALLOC_CONF=expandable_segments:False, and vLLM 0.24 or later. A "
    "smaller gpu-memory-utilization does not help where the traceback ends in cudaMemGetInfo"
)


def _judge(view: GuardView, limits: Limits) -> Trip | None:
    last, most = view.ticks[-1], limits.driver_lines
    if most is None or last.driver_lines is None or view.first.driver_lines is None:
        return None
    new, most = last.driver_lines - view.first.driver_lines, max(1, math.ceil(most * fraction(view)))
    if new < most:
        return None
    said = f"; the last: {last.driver_line}" if last.driver_line else ""
    evidence = (
        f"{new} lines of the GPU's driver say NV_ERR_NO_MEMORY (0x51) since this began (limit {most}), "
        f"{_although(last, limits)}{said}"
    )
    return trip(_ID, view, evidence, _HINT)


def _although(last: HostTick, limits: Limits) -> str:
    if last.available is None:
        return "MemAvailable is not known"
    above = limits.available_floor is not None and last.available >= limits.available_floor
    free = f" and MemFree {format_bytes(last.free)}" if last.free is not None else ""
    return f"{'although ' if above else ''}MemAvailable is {format_bytes(last.available)}{free}"


GUARD = Guard(
    id=_ID,
    title="The driver gets its memory",
    why="Page cache counts as available, but the driver cannot use it at once. Such lines came before hosts hung.",
    source="https://github.com/vllm-project/vllm/issues/56824; "
    "https://github.com/NVIDIA/open-gpu-kernel-modules/issues/1358",
    needs=("driver_lines",),
    limit="driver_lines",
    judge=_judge,
)
