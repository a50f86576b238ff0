"""What several benchmarks need: a line with its target, CPU seconds of children, threads that sleep."""

__all__ = ["Line", "children_cpu_s", "print_lines", "sleeping_threads"]

import resource
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

_SLEEPERS = """
import sys, threading
threading.stack_size(64 * 1024)
never = threading.Event()
for _ in range(int(sys.argv[1])):
    threading.Thread(target=never.wait, daemon=True).start()
print("ready", flush=True)
sys.stdin.read()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What was measured beside the most that it may be, both in ``unit``."""

    what: str
    target: float
    measured: float
    unit: str

    @property
    def held(self) -> bool:
        """Whether it is no more than its target."""
        return self.measured <= self.target

    def __str__(self) -> str:
        word = "held" if self.held else "NOT HELD"
        return f"{self.what:<66} {self.target:>7g} {self.measured:>9.3f} {self.unit:<12} {word}"


def print_lines(lines: Iterable[Line]) -> int:
    """Print each line as soon as it is there; return the exit code: 1 when a target was missed."""
    print(f"{'':<66} {'target':>7} {'measured':>9}")
    missed = False
    for line in lines:
        print(line, flush=True)
        missed = missed or not line.held
    return int(missed)


def children_cpu_s() -> float:
    """Return the CPU seconds, user and system, of all children that have ended and were waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@contextmanager
def sleeping_threads(count: int) -> Iterator[None]:
    """Keep a child with that many threads that sleep; a machine that does not allow them ends the program."""
    command = (sys.executable, "-c", _SLEEPERS, str(count))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        try:
            if child.stdout is None or child.stdout.readline() != b"ready\n":
                sys.exit(f"{count} threads cannot be made here")
            yield
        finally:
            child.kill()
