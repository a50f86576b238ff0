"""A program whose threads have names and do one thing each, on the real kernel.

    python -m tests.support.named_threads PROCESS NAME=DOING ...

DOING: "rests" (sleeps for ever), "spins" (gives up its core again and again, and never sleeps), "computes" (outside of
the interpreter's lock, so that several of them run at once), "polls" (looks for input with a timeout of 0). When all of
them have their names it prints a line for each, ``NAME TID``, and then ``ready``. It ends with its standard input.
"""

import hashlib
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def _spin() -> None:
    while True:
        os.sched_yield()


def _compute() -> None:
    while True:
        hashlib.pbkdf2_hmac("sha256", b"work", b"salt", 20_000_000)


def _poll() -> None:
    reads, _writes = os.pipe()
    while True:
        select.select([reads], [], [], 0)


def _rest() -> None:
    time.sleep(3600)


_DOINGS = {"rests": _rest, "spins": _spin, "computes": _compute, "polls": _poll}


class NamedThreads:
    """The program as it runs: ``pid``, and the threads' numbers by their names, in their order."""

    def __init__(self, child: "subprocess.Popen[str]") -> None:
        """Wait until all threads have their names."""
        self.pid = child.pid
        self.tids: dict[str, list[int]] = {}
        assert child.stdout is not None
        for line in iter(child.stdout.readline, "ready\n"):
            name, _, tid = line.rpartition(" ")
            assert name, "the program did not begin"
            self.tids.setdefault(name, []).append(int(tid))


@contextmanager
def named_threads(process: str, *threads: str) -> Iterator[NamedThreads]:
    """Run the program; each of ``threads`` is NAME=DOING. Afterwards it is gone."""
    command = (sys.executable, "-I", __file__, process, *threads)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        try:
            yield NamedThreads(child)
        finally:
            child.kill()


def main() -> None:
    """Start the threads, and end with the input."""
    process, *asked = sys.argv[1:]
    Path("/proc/self/comm").write_text(process)
    begun, told = threading.Barrier(len(asked) + 1), threading.Event()

    tids = [0] * len(asked)

    def run(place: int, name: str, doing: str) -> None:
        tids[place] = threading.get_native_id()
        Path(f"/proc/self/task/{tids[place]}/comm").write_text(name)
        begun.wait()
        told.wait()
        _DOINGS[doing]()

    for place, one in enumerate(asked):
        name, _, doing = one.partition("=")
        threading.Thread(target=run, args=(place, name, doing), daemon=True).start()
    begun.wait()
    sys.stdout.write("".join(f"{one.partition('=')[0]} {tid}\n" for one, tid in zip(asked, tids, strict=True)))
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    told.set()
    # Below the interpreter, so that waiting for the input takes nothing from the threads.
    os.read(0, 1)
    os._exit(0)


if __name__ == "__main__":
    main()
