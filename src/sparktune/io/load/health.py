"""How well the client itself kept up during a wave."""

__all__ = ["HealthMeter"]

import math
import os
import time
from array import array
from collections.abc import Sequence
from pathlib import Path

from sparktune.model.recording import Recording, StampSource, send_skew_ns
from sparktune.model.trial import ClientHealth
from sparktune.units import NS_PER_S, Seconds

_STAT = Path("/proc/thread-self/stat")
_PROCESSOR = 39 - 3  # field 39 of proc_pid_stat(5), counted from the first after the bracketed name


class HealthMeter:
    """Measures from its creation to the last ``sample``, in the thread that reads the streams.

    CPU time is that of the whole process: its threads share the interpreter lock, so what another thread burns is
    missing here.
    """

    def __init__(self) -> None:
        """Start."""
        self._start_ns = time.monotonic_ns()
        self._start_cpu_ns = time.process_time_ns()
        self._cores: set[int] = set()
        self.sample()

    def sample(self) -> None:
        """Note the time, the CPU time and the core that this thread is on; costs some tens of microseconds."""
        self._end_ns = time.monotonic_ns()
        self._end_cpu_ns = time.process_time_ns()
        core = _current_core()
        if core is not None:
            self._cores.add(core)

    def result(self, recordings: Sequence[Recording], *, clock_step_s: Seconds) -> ClientHealth:
        """Sum up. ``cores`` are those seen at the samples, or all allowed ones where the system does not say."""
        wall_ns = max(1, self._end_ns - self._start_ns)
        heard = [recording for recording in recordings if recording.read_ends]
        kernel = bool(heard) and all(recording.source is StampSource.KERNEL for recording in heard)
        lag_p99_s, lag_max_s = _lag(heard) if kernel else (None, None)
        return ClientHealth(
            wall_s=wall_ns / NS_PER_S,
            cpu_ratio=(self._end_cpu_ns - self._start_cpu_ns) / wall_ns,
            lag_p99_s=lag_p99_s,
            lag_max_s=lag_max_s,
            send_skew_s=send_skew_ns(recordings) / NS_PER_S,
            cores=tuple(sorted(self._cores or os.sched_getaffinity(0))),
            source=StampSource.KERNEL if kernel else StampSource.USER,
            clock_step_s=clock_step_s,
            reads=sum(len(recording.read_ends) for recording in heard),
        )


def _lag(recordings: Sequence[Recording]) -> tuple[Seconds, Seconds]:
    """Return the 99th percentile (nearest rank) and the maximum of wake-up minus arrival.

    What arrives while the process is awake and reading other streams was not waited for: its lag is 0.
    """
    lags = array("q")
    for recording in recordings:
        lags.extend(map(_late, recording.woke_ns, recording.arrival_ns))
    ordered = sorted(lags)
    return ordered[math.ceil(len(ordered) * 0.99) - 1] / NS_PER_S, ordered[-1] / NS_PER_S


def _late(woke_ns: int, arrival_ns: int) -> int:
    return woke_ns - arrival_ns if woke_ns > arrival_ns else 0


def _current_core() -> int | None:
    try:
        return int(_STAT.read_bytes().rpartition(b")")[2].split()[_PROCESSOR])
    except (OSError, IndexError, ValueError):
        return None
