"""How much of the cores processes took that have nothing to do with the benchmark.

Source: proc_stat(5) and proc_pid_stat(5); times in clock ticks.
"""

__all__ = ["Others"]

import os
import time
from collections.abc import Sequence
from pathlib import Path

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_BUSY_FIELDS = (1, 2, 3, 6, 7, 8)  # user, nice, system, irq, softirq, steal
_UTIME, _STIME = 11, 12  # fields 14 and 15 of a process, counted after its bracketed name


class Others:
    """Measures from its creation; children that have ended count as ours, as does the server."""

    def __init__(self, cores: Sequence[int], server_pid: int) -> None:
        """Start."""
        self._names = tuple(f"cpu{core}" for core in cores)
        self._server = Path(f"/proc/{server_pid}/stat")
        self._start = self._read()
        self._start_s = time.monotonic()

    def used_ratio(self) -> float:
        """Return the share of the cores' time that others took, from 0 to 1."""
        busy_s, ours_s = (now - then for now, then in zip(self._read(), self._start, strict=True))
        wall_s = (time.monotonic() - self._start_s) * len(self._names)
        return max(0.0, (busy_s - ours_s) / wall_s)

    def _read(self) -> tuple[float, float]:
        lines = (line.split() for line in Path("/proc/stat").read_text(encoding="ascii").splitlines())
        busy = sum(int(line[field]) for line in lines if line[0] in self._names for field in _BUSY_FIELDS)
        server = self._server.read_text(encoding="utf-8").rpartition(")")[2].split()
        own = sum(os.times()[:4])
        return busy * _TICK_S, own + (int(server[_UTIME]) + int(server[_STIME])) * _TICK_S
