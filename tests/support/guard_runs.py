"""Runs of ``sparktune guard`` on a host that shows only its memory, with something that eats it."""

__all__ = [
    "GENEROUS_S",
    "MEMINFO",
    "SLEEPER",
    "alive_with",
    "eat",
    "eaten",
    "program_on_a_port",
    "run_guard",
    "started",
]

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support import eater
from tests.support.cli import Finished, run_sparktune

_EATER = (sys.executable, str(eater.__file__))
MEMINFO = "MemTotal: 8388608 kB\nMemFree: 2097152 kB\nMemAvailable: 4194304 kB\n"
GENEROUS_S = 8.0  # a busy machine may be slow; the figures of a quiet one are those of benchmarks/guard.py
SLEEPER = (sys.executable, "-c", "import time; time.sleep(300)")


def run_guard(host: Path, *words: str) -> Finished:
    """Guard a command on that host, and wait for its end."""
    return run_sparktune("guard", "--nodes", f"{host}/", *words)


def started(host: Path, *words: str) -> subprocess.Popen[str]:
    """Start a guard, and leave it running."""
    command = [sys.executable, "-m", "sparktune", "guard", "--nodes", f"{host}/", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def eat(host: Path, pace: str, *words: str) -> tuple[str, ...]:
    """Return the words of a command that eats what the host shows, at a pace."""
    log = host.parent / "eaten.log"
    return ("--", *_EATER, pace, "--meminfo", str(host / "proc/meminfo"), "--log", str(log), *words)


def eaten(host: Path) -> list[tuple[int, int]]:
    """Return what the eater wrote: instants of the monotonic clock, and the MiB that it held."""
    lines = (host.parent / "eaten.log").read_text().splitlines()
    return [(int(instant), int(size)) for instant, size in (line.split() for line in lines)]


@contextmanager
def program_on_a_port(script: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a program that prints its port first."""
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def alive_with(word: str) -> list[int]:
    """Return the processes whose command line has a word, but not this one."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if word in text and int(folder.name) != os.getpid():
            found.append(int(folder.name))
    return found
