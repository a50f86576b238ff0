"""A process that eats memory, slowly, fast or in steps, and never more than it was told: as its own limit has it.

With ``meminfo`` it writes what a host would show to that file, so that a test depends on no other work of this machine;
without, it eats for real. Each line of its log has an instant of the monotonic clock and what it holds.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

_MIB = 1024**2
_PACES = {"slowly": (32, 0.1), "fast": (128, 0.05), "steps": (192, 1.0), "once": (900, 0.1), "idle": (0, 0.1)}


def main() -> None:
    """Eat until told to end."""
    parser = argparse.ArgumentParser()
    parser.add_argument("pace", choices=_PACES)
    parser.add_argument("--most", type=int, default=1500, help="MiB")
    parser.add_argument("--meminfo", type=Path)
    parser.add_argument("--begin", type=int, default=4096, help="MiB that the host has at first")
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--child", action="store_true", help="have a child that only sleeps")
    parser.add_argument("--group", type=Path, help="the folder of a control group to go into")
    parser.add_argument("--seconds", type=float, default=60.0)
    asked = parser.parse_args()
    if asked.group is not None:
        (asked.group / "cgroup.procs").write_text(str(os.getpid()))
    resource.setrlimit(resource.RLIMIT_AS, ((asked.most + 300) * _MIB,) * 2)
    if asked.child:
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)", str(asked.log)])
    piece, every_s = _PACES[asked.pace]
    held: list[bytearray] = []
    size, ends = 0, time.monotonic() + asked.seconds
    with asked.log.open("a", buffering=1) as log:
        while time.monotonic() < ends:
            if size + piece <= asked.most and piece and not (asked.pace == "once" and held):
                if asked.meminfo is None:
                    held.append(bytearray(os.urandom(4096) * (piece * _MIB // 4096)))
                else:
                    held.append(bytearray())
                size += piece
            if asked.meminfo is not None:
                _show(asked.meminfo, asked.begin - size)
            log.write(f"{time.monotonic_ns()} {size}\n")
            time.sleep(every_s)


def _show(path: Path, available: int) -> None:
    new = path.with_name("meminfo.new")
    new.write_text(f"MemTotal: {8192 * 1024} kB\nMemFree: {available * 512} kB\nMemAvailable: {available * 1024} kB\n")
    new.replace(path)


if __name__ == "__main__":
    main()
