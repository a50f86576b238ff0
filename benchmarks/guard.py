"""What a guard costs, and how soon a load that eats memory has ended: prints target, measured value, whether it held.

CPU seconds are those that the kernel counted for the guard, its agent and what they ran. Memory is eaten for real, in a
process whose own limit is 1.5 GiB (as root also its control group's), down to a floor 600 MiB below what is there now.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from measured import Line, children_cpu_s, print_lines
from tests.support import eater

from sparktune.io.launching.proc import available_bytes
from sparktune.units import NS_PER_S

_GUARD = (sys.executable, "-m", "sparktune", "guard", "--quiet", "--json")
_ROOM = 600 * 1024**2
_SHORT_S = 5
_REST_S, _READS = 0.5, 15
_FILES = (Path("/proc/vmstat"), Path("/proc/meminfo"))
_BEGIN_MIB, _FLOOR_MIB = 4096, 3072
_CGROUP = Path("/sys/fs/cgroup/memory")
_LIMIT = 2 * 1024**3


def main() -> int:
    """Measure everything once; exit code 1 when a target was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="how long an idle command is guarded")
    parser.add_argument("--only", choices=("cost", "stop"), help="one half of it")
    asked = parser.parse_args()
    return print_lines(_lines(asked.seconds, asked.only))


def _lines(seconds: int, only: str | None) -> Iterator[Line]:
    if only != "stop":
        yield from _cost(seconds)
    if only != "cost":
        for pace in ("slowly", "fast", "steps"):
            yield from _stop(pace)
        for pace in ("slowly", "fast"):
            yield _crossed(pace)


def _cost(seconds: int) -> Iterator[Line]:
    _cpu_s(1)  # as it is installed: compiled once
    start, whole = _cpu_s(_SHORT_S), _cpu_s(seconds)
    yield Line(
        what=f"guard -- sleep {seconds}: all of it, starting included",
        target=2.0,
        measured=100 * whole / seconds,
        unit="% of a core",
    )
    yield Line(
        what="the same, once it runs",
        target=2.0,
        measured=100 * (whole - start) / (seconds - _SHORT_S),
        unit="% of a core",
    )
    busy_s, rested_s = _read_once_s(0.0), _read_once_s(_REST_S)
    print(
        f"  this machine: reading two files of /proc takes {busy_s * 1e3:.2f} CPU ms in a process at work, "
        f"{rested_s * 1e3:.2f} in one that rested for {_REST_S:g} s, as a guard does ({rested_s / busy_s:.0f} times)"
    )


def _cpu_s(seconds: int) -> float:
    before = children_cpu_s()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([*_GUARD, "--", "sleep", str(seconds)], check=True, stdout=subprocess.DEVNULL, env=environment)
    return children_cpu_s() - before


def _read_once_s(rest_s: float) -> float:
    """Return the median CPU seconds of reading two small files: after a rest that is dear on some virtual machines."""
    taken = []
    for _ in range(_READS):
        time.sleep(rest_s)
        before = time.process_time()
        for path in _FILES:
            dict(line.split(None, 1) for line in path.read_text().splitlines())
        taken.append(time.process_time() - before)
    return statistics.median(taken)


def _stop(pace: str) -> Iterator[Line]:
    available = available_bytes()
    if available is None:
        sys.exit("this kernel does not tell MemAvailable")
    with tempfile.TemporaryDirectory() as folder, _limited() as group:
        log = Path(folder) / "eaten.log"
        command = [sys.executable, str(eater.__file__), pace, "--log", str(log), *group]
        limits = ("--available-floor", str(available - _ROOM), "--seconds-to-floor", "5")
        began = time.monotonic_ns()
        done = subprocess.run([*_GUARD, *limits, "--", *command], capture_output=True, text=True, check=False)
        if done.returncode != 4:  # noqa: PLR2004 - stopped by a guard
            sys.exit(f"the guard did not stop what eats {pace}: {done.stderr}")
        report = json.loads(done.stdout)
        last = int(log.read_text().splitlines()[-1].split()[0])
    trip, stopped = report["trip"], report["stopped"]
    print(f"  {pace}: {trip['guard']} after {(last - began) / NS_PER_S:.1f} s; {trip['evidence']}")
    yield Line(
        what=f"eaten {pace}: from the tick that crossed a limit to the load's end",
        target=1.0,
        measured=stopped["after_tick_s"],
        unit="s",
    )


def _crossed(pace: str) -> Line:
    """Let it eat what a captured host shows: the instant at which that crosses the floor is known exactly."""
    with tempfile.TemporaryDirectory() as folder:
        host, log = Path(folder) / "host", Path(folder) / "eaten.log"
        (host / "proc").mkdir(parents=True)
        meminfo = host / "proc/meminfo"
        meminfo.write_text(f"MemAvailable: {_BEGIN_MIB * 1024} kB\n")
        command = [sys.executable, str(eater.__file__), pace, "--log", str(log), "--meminfo", str(meminfo)]
        limits = ("--nodes", f"{host}/", "--available-floor", "3GiB", "--seconds-to-floor", "off")
        subprocess.run([*_GUARD, *limits, "--", *command], capture_output=True, check=False)
        held = [tuple(map(int, line.split())) for line in log.read_text().splitlines()]
    crossed = next(at for at, size in held if _BEGIN_MIB - size < _FLOOR_MIB)
    return Line(
        what=f"eaten {pace}: from crossing the floor to the load's last sign of life",
        target=1.0,
        measured=(held[-1][0] - crossed) / NS_PER_S,
        unit="s",
    )


@contextmanager
def _limited() -> Iterator[tuple[str, ...]]:
    """Make a control group that bounds the eater, where that can be done; return the arguments that put it there."""
    folder = _CGROUP / f"sparktune-bench-{os.getpid()}"
    try:
        folder.mkdir()
        (folder / "memory.limit_in_bytes").write_text(str(_LIMIT))
    except OSError:
        yield ()
        return
    try:
        yield ("--group", str(folder))
    finally:
        folder.rmdir()


if __name__ == "__main__":
    sys.exit(main())
