"""Threads of one process with equal names, of every way to wait, beside one that computes, on a machine that is loaded.

The load is five busy processes per core: a poller then gets little of a core, and is found by what it wants.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from sparktune.flows.place_scan import scan_nodes
from sparktune.io.cluster import NodeTarget
from sparktune.model.place import PollerVerdict

_COMPILER = shutil.which("cc") or shutil.which("gcc")
# How a loaded machine shares its cores is nothing that a quick test may rest on.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(_COMPILER is None, reason="needs a C compiler: threads that really spin"),
]

_TIMES_CORES = 5
_POLLERS = {"pure", "yield", "poll0", "sleeper", "spinsleep"}
_SOURCE = r"""
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static volatile double sink;
static void say(const char *kind) { printf("%s %ld\n", kind, (long)syscall(SYS_gettid)); fflush(stdout); }
static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000L + t.tv_nsec;
}
static void *pure(void *a) { say("pure"); for (;;) ; return a; }
static void *yields(void *a) { say("yield"); for (;;) sched_yield(); return a; }
static void *polls(void *a) { say("poll0"); for (;;) poll(0, 0, 0); return a; }
static void *sleeper(void *a) { say("sleeper"); for (;;) usleep(50); return a; }
static void *spinsleep(void *a) {
  say("spinsleep");
  for (;;) { long until = now() + 200000; while (now() < until) ; usleep(50); }
  return a;
}
static void *compute(void *a) {
  say("compute");
  for (double x = 1;;) { for (int i = 0; i < 1000; i++) x = x * 1.0000001 + 0.5; sink = x; }
  return a;
}
int main(void) {
  void *(*kinds[])(void *) = {pure, yields, polls, sleeper, spinsleep, compute};
  pthread_t thread;
  char byte;
  for (int i = 0; i < 6; i++) pthread_create(&thread, 0, kinds[i], 0);
  return read(0, &byte, 1) < 0;
}
"""


@pytest.fixture
def kinds(tmp_path: Path) -> Iterator[dict[int, str]]:
    """The threads by number, of a process that runs beside the load; all of it has ended afterwards."""
    (tmp_path / "spin.c").write_text(_SOURCE)
    program = tmp_path / "spin"
    subprocess.run([str(_COMPILER), "-O1", "-pthread", "-o", str(program), str(tmp_path / "spin.c")], check=True)
    with ExitStack() as stack:
        for _ in range(_TIMES_CORES * (os.cpu_count() or 1)):
            load = stack.enter_context(subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"]))
            stack.callback(load.kill)
        process = stack.enter_context(
            subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        )
        stack.callback(process.kill)
        assert process.stdout is not None
        said = [process.stdout.readline().split() for _ in range(6)]
        yield {int(tid): kind for kind, tid in said}


def _scan(kinds: dict[int, str], windows: int, window_s: float) -> dict[str, PollerVerdict]:
    found = scan_nodes([NodeTarget(name="here")], windows=windows, window_s=window_s, endpoint="")
    (node,) = found.nodes
    assert node.failure == ""
    return {kinds[one.thread.tid]: one.verdict for one in node.pollers if one.thread.tid in kinds}


def test_pollers_are_found_on_a_loaded_machine_and_nothing_is_called_certain(kinds: dict[int, str]) -> None:
    """Nobody tells whether work was there, and one of them computes: certainty would be a lie."""
    found = _scan(kinds, windows=3, window_s=1.0)

    assert set(found) >= _POLLERS
    assert PollerVerdict.CERTAIN not in found.values()


def test_fifty_times(kinds: dict[int, str]) -> None:
    """Chance has fifty tries to miss a poller, or to call a computation one."""
    results = [_scan(kinds, windows=5, window_s=2.0) for _ in range(50)]

    missed = {kind: sum(kind not in found for found in results) for kind in _POLLERS}
    assert missed == dict.fromkeys(_POLLERS, 0)
    assert all(found.get("compute") is not PollerVerdict.CERTAIN for found in results)
