"""Ask the scheduler to run this thread soon after it wakes up, at ordinary priority.

Since Linux 6.12 a thread of the normal policy may ask for a short time slice (sched_setattr(2), ``sched_runtime``,
0.1 to 100 ms), and one that wakes up with a shorter slice than the running thread's goes first. Its share of the CPU
stays the same. Without it, packets on a busy core wait for the next scheduler tick, up to 10 ms, and several of them
then share one stamp. Older kernels ignore the request; nothing depends on it.
"""

__all__ = ["short_time_slice"]

import contextlib
import ctypes
import os
import struct
from collections.abc import Iterator

from sparktune.units import Nanoseconds

_SLICE_NS: Nanoseconds = 100_000
_DEFAULT_SLICE_NS: Nanoseconds = 0
# sched_setattr in the 64-bit system call tables of Linux: its own on x86, the generic one elsewhere.
_SYSCALL_NUMBERS = {"x86_64": 314, "aarch64": 274, "riscv64": 274}
_POINTER_BYTES = 8
_ATTR = struct.Struct("=IIQiIQQQ")  # sched_attr, first version: size, policy, flags, nice, priority, runtime, ...


@contextlib.contextmanager
def short_time_slice() -> Iterator[None]:
    """Hold a short slice for this thread, where the system lets it and the policy is the normal one."""
    held = os.sched_getscheduler(0) == os.SCHED_OTHER and _ask(_SLICE_NS)
    try:
        yield
    finally:
        if held:
            _ask(_DEFAULT_SLICE_NS)


def _ask(slice_ns: Nanoseconds) -> bool:
    number = _SYSCALL_NUMBERS.get(os.uname().machine)
    if number is None or struct.calcsize("P") != _POINTER_BYTES:
        return False
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    attributes = _ATTR.pack(_ATTR.size, os.SCHED_OTHER, 0, nice, 0, slice_ns, 0, 0)
    return bool(ctypes.CDLL(None).syscall(number, 0, attributes, 0) == 0)
