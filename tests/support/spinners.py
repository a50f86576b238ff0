"""Threads of one process with equal names: every way to poll, beside work of several kinds, on a loaded machine."""

__all__ = ["COMPILER", "POLLERS", "WORK", "Spinners", "busy_machine", "spinning"]

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

COMPILER = shutil.which("cc") or shutil.which("gcc")
POLLERS = ("pure", "yield", "poll0", "sleeper", "spinsleep")
"""Kinds that poll: a spin, yields, polls with a timeout of 0, sleeps of 50 us, a spin of 200 us and a sleep."""
WORK = ("compute", "fill", "copy")
"""Kinds that work: arithmetic; memory that is mapped, filled and given back; a file that is read out of the cache."""

_SOURCE = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
enum { SIZE = 4 << 20 };
static volatile double sink;
static const char *file;
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
static void *fill(void *a) {
  say("fill");
  for (;;) {
    char *p = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return a;
    madvise(p, SIZE, MADV_NOHUGEPAGE);
    for (int i = 0; i < SIZE; i += 4096) p[i] = 1;
    munmap(p, SIZE);
  }
}
static void *copy(void *a) {
  static char buffer[1 << 20];
  int fd = open(file, O_RDONLY);
  say("copy");
  while (fd >= 0 && pread(fd, buffer, sizeof buffer, 0) > 0) ;
  return a;
}
int main(int count, char **words) {
  void *(*kinds[])(void *) = {pure, yields, polls, sleeper, spinsleep, compute, fill, copy};
  pthread_t thread;
  char byte;
  file = words[count - 1];
  for (int i = 0; i < 8; i++) pthread_create(&thread, 0, kinds[i], 0);
  return read(0, &byte, 1) < 0;
}
"""
# It ends with the test's process, also when that was killed: /proc is asked after every hundred thousand rounds.
_BUSY = 'while [ -d "/proc/$1" ]; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done'
_READ_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Spinners:
    """The process that spins; ``kinds`` of its threads by their numbers."""

    pid: int
    kinds: dict[int, str]
    began_s: float

    def grow_older_than(self, age_s: float) -> None:
        """Wait until the threads have lived that long."""
        time.sleep(max(0.0, self.began_s + age_s - time.monotonic()))


@contextmanager
def spinning(folder: Path, name: str) -> Iterator[Spinners]:
    """Run one process of that name whose threads are of all kinds, and end it afterwards."""
    source, program, data = folder / "spin.c", folder / name, folder / "data"
    source.write_text(_SOURCE)
    data.write_bytes(bytes(_READ_BYTES))
    subprocess.run([str(COMPILER), "-O1", "-pthread", "-o", str(program), str(source)], check=True)
    with ExitStack() as stack:
        process = stack.enter_context(
            subprocess.Popen([str(program), str(data)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        )
        stack.callback(process.kill)
        assert process.stdout is not None
        said = [process.stdout.readline().split() for _ in (*POLLERS, *WORK)]
        kinds = {int(tid): kind for kind, tid in said}
        yield Spinners(pid=process.pid, kinds=kinds, began_s=time.monotonic())


@contextmanager
def busy_machine(times_cores: int) -> Iterator[None]:
    """Keep every core busy that many times over."""
    with ExitStack() as stack:
        for _ in range(times_cores * (os.cpu_count() or 1)):
            load = stack.enter_context(subprocess.Popen(["/bin/sh", "-c", _BUSY, "sh", str(os.getpid())]))
            stack.callback(load.kill)
        yield
