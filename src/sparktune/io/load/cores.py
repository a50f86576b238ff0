"""Keep the thread that measures on some cores while a wave runs, and give it back what it had.

The thread alone: what this process starts meanwhile, an engine among it, would inherit a mask of the whole process.
"""

__all__ = ["on_cores"]

import contextlib
import os
from collections.abc import Iterator

from sparktune.host.cpulist import CpuSet


@contextlib.contextmanager
def on_cores(cpus: CpuSet) -> Iterator[None]:
    """Hold this thread on ``cpus``; leave it where it is when they are none, or a cpuset forbids all of them.

    Where it has run is in the wave's health: a mask that a cpuset cuts shows there.
    """
    if not cpus:
        yield
        return
    before = frozenset(os.sched_getaffinity(0))
    held = _set(cpus)
    try:
        yield
    finally:
        if held:
            _set(before)


def _set(cpus: CpuSet) -> bool:
    try:
        os.sched_setaffinity(0, cpus)
    except OSError:
        return False
    return True
