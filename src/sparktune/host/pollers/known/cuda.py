"""CUDA's own threads in a process: they hand on events of the driver."""

__all__ = ["POLLER"]

import re

from sparktune.model.place import KnownPoller

POLLER = KnownPoller(
    id="cuda",
    title="a thread of CUDA",
    process=re.compile(""),
    thread=re.compile(r"^cuda"),
    why="it serves the GPU; a thread that waits for the GPU spins when the program asked for that "
    "(cudaDeviceScheduleSpin)",
    fix="let the program wait with cudaDeviceScheduleBlockingSync where it has a setting for that",
    source="CUDA Runtime API: cudaSetDeviceFlags",
    placement=False,
    computes=True,
)
