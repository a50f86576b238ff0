"""What ``place scan`` costs on a machine of many threads: prints target, measured value, and whether it held.

A process with 3,000 sleeping threads and three busy ones are made for it. CPU seconds are those that the kernel counts:
of the agent, as it runs on a node, and of the controller. The plain read opens and reads the same files once for each
look at all threads, in one process that does nothing else; both are told for the same run, since machines differ.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from measured import Line, children_cpu_s, print_lines, sleeping_threads

from sparktune.flows.place.scan import NodeScan, scan_nodes
from sparktune.io.cluster import NodeTarget

_BUSY = 3
_LOOKS = 2
# It ends with this process, also when that was killed.
_BUSY_LOOP = 'while [ -d "/proc/$1" ]; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done'
_PLAIN = """
import glob, sys
for _ in range(int(sys.argv[1])):
    for name in ("schedstat", "stat"):
        for path in glob.glob(f"/proc/[0-9]*/task/[0-9]*/{name}"):
            try:
                with open(path, "rb") as file:
                    file.read()
            except OSError:
                pass
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cost:
    """CPU seconds of one scan, and how long it took."""

    agent_s: float
    controller_s: float
    wall_s: float


def main() -> int:
    """Measure everything once; exit code 1 when a target was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=3000, help="how many threads sleep")
    parser.add_argument("--scans", type=int, default=3, help="how often it is scanned; the cheapest counts")
    asked = parser.parse_args()
    with _threads(asked.threads):
        return print_lines(_lines(asked.threads, asked.scans))


def _lines(threads: int, scans: int) -> Iterator[Line]:
    start = min(_child_cpu_s([sys.executable, "-c", "pass"]) for _ in range(scans))
    plain_s = min(_child_cpu_s([sys.executable, "-c", _PLAIN, str(_LOOKS)]) for _ in range(scans)) - start
    costs = [_scan(threads) for _ in range(scans)]
    cost = min(costs, key=lambda one: one.agent_s + one.controller_s)
    whole_s = cost.agent_s + cost.controller_s
    of = f"{threads:,} threads"
    yield Line(what=f"agent: one scan of {of}, its start included", target=1.0, measured=cost.agent_s, unit="CPU s")
    yield Line(what=f"controller: one scan of {of}", target=1.0, measured=cost.controller_s, unit="CPU s")
    yield Line(
        what=f"agent, over the {cost.wall_s:.0f} s of the scan",
        target=10.0,
        measured=100 * cost.agent_s / cost.wall_s,
        unit="% of a core",
    )
    yield Line(
        what=f"agent, beside {_LOOKS} plain reads of all these files ({plain_s:.3f} CPU s)",
        target=2.0,
        measured=(cost.agent_s - start) / plain_s,
        unit="times",
    )
    yield Line(
        what="agent and controller, beside the same",
        target=4.0,
        measured=(whole_s - start) / plain_s,
        unit="times",
    )


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """Make threads that sleep and some that are busy; all have ended afterwards."""
    with ExitStack() as stack:
        stack.enter_context(sleeping_threads(count))
        for _ in range(_BUSY):
            busy = stack.enter_context(subprocess.Popen(["/bin/sh", "-c", _BUSY_LOOP, "sh", str(os.getpid())]))
            stack.callback(busy.kill)
        yield


def _scan(threads: int) -> _Cost:
    children, own, began = children_cpu_s(), time.process_time(), time.monotonic()
    (node,) = scan_nodes([NodeTarget(name="here")], windows=5, window_s=2.0, endpoint="").nodes
    _check(node, threads)
    return _Cost(
        agent_s=children_cpu_s() - children,
        controller_s=time.process_time() - own,
        wall_s=time.monotonic() - began,
    )


def _check(node: NodeScan, threads: int) -> None:
    if node.failure or node.threads < threads:
        sys.exit(f"the scan did not see all threads: {node.failure or node.threads}")
    ours = [poller for poller in node.pollers if poller.thread.process == "sh"]
    if len(ours) < _BUSY:
        sys.exit(f"the scan found {len(ours)} of {_BUSY} busy threads")


def _child_cpu_s(command: list[str]) -> float:
    before = children_cpu_s()
    subprocess.run(command, check=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    return children_cpu_s() - before


if __name__ == "__main__":
    sys.exit(main())
