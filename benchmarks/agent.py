"""What looking at a node costs that node, and what more nodes cost: prints target, measured value, and whether it held.

A child process with many sleeping threads makes this machine as busy with threads as a node that serves a model. CPU
seconds are those that the kernel counted for the agent and the commands that it ran.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Iterator, Sequence

from measured import Line, children_cpu_s, print_lines, sleeping_threads

from sparktune.host.facts import all_sources, read_facts
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.fanout import observe_all
from sparktune.io.transport.session import NodeSession
from sparktune.model.reads import Read, ReadFile, ReadFiles
from sparktune.units import NS_PER_S

_THREADS = 3000
_NODES = 64
_FEW_NODES = 4
_SECONDS = 20
_OWN_TIME = "/proc/self/schedstat"  # of the agent: nanoseconds on a CPU come first
# What a view of a node once per tick needs: every thread, and the counters of the whole node.
_WATCHED: tuple[Read, ...] = (
    ReadFile(path=_OWN_TIME),
    ReadFiles(pattern="/proc/[0-9]*/task/*/schedstat"),
    *(ReadFile(path=f"/proc/{name}") for name in ("stat", "meminfo", "vmstat", "pressure/memory", "interrupts")),
    ReadFiles(pattern="/sys/class/thermal/thermal_zone*/temp"),
    ReadFiles(pattern="/sys/class/hwmon/hwmon*/temp*_input"),
)


def main() -> int:
    """Measure everything once; exit code 1 when a target was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=_THREADS, help="sleeping threads on the node")
    parser.add_argument("--seconds", type=int, default=_SECONDS, help="how long to sample")
    parser.add_argument("--nodes", type=int, default=_NODES, help="how many nodes to fan out to")
    asked = parser.parse_args()
    reads = tuple(read for source in all_sources() for read in source.reads)
    return print_lines(_lines(reads, asked.threads, asked.seconds, asked.nodes))


def _lines(reads: Sequence[Read], threads: int, seconds: int, nodes: int) -> Iterator[Line]:
    with sleeping_threads(threads):
        yield from _observe(reads, threads)
        yield _sample(seconds, threads)
    yield _fan_out(reads, nodes)


def _observe(reads: Sequence[Read], threads: int) -> list[Line]:
    before = children_cpu_s()
    (answer,) = asyncio.run(observe_all([NodeTarget(name="here")], reads))
    spent = children_cpu_s() - before
    if answer.readings is None:
        sys.exit(f"the node does not answer: {answer.error}")
    seen = len(answer.readings.matching("/proc/[0-9]*/task/*/stat"))
    if seen < threads:
        sys.exit(f"only {seen} of {threads} threads were seen")
    start = time.process_time()
    read_facts("here", answer.readings)
    parsed = time.process_time() - start
    return [
        Line(what=f"observe: node with {seen} threads, all facts", target=1.0, measured=spent, unit="CPU s"),
        Line(what="facts from that, on the controller", target=1.0, measured=parsed, unit="CPU s"),
    ]


def _sample(seconds: int, threads: int) -> Line:
    spent_ns, over_ns = asyncio.run(_watch(seconds * 2))
    return Line(
        what=f"sample at 2 Hz, {threads} threads and more, {over_ns / NS_PER_S:.0f} s",
        target=2.0,
        measured=100 * spent_ns / over_ns,
        unit="% of a core",
    )


async def _watch(ticks: int) -> tuple[int, int]:
    async with NodeSession(NodeTarget(name="here")) as node:
        samples = node.sample(_WATCHED, interval_s=0.5, count=ticks + 1)
        own = [(int(sample.texts[_OWN_TIME].split()[0]), sample.monotonic_ns) async for sample in samples]
    # The first tick opens every file.
    (first_cpu, first), (last_cpu, last) = own[1], own[-1]
    return last_cpu - first_cpu, last - first


def _fan_out(reads: Sequence[Read], nodes: int) -> Line:
    per_node = {count: _cpu_s_per_node(reads, count) for count in (_FEW_NODES, nodes)}
    return Line(
        what=f"{nodes} nodes at once: cost per node, of what it is with {_FEW_NODES}",
        target=1.25,
        measured=per_node[nodes] / per_node[_FEW_NODES],
        unit=f"({per_node[nodes]:.3f} CPU s)",
    )


def _cpu_s_per_node(reads: Sequence[Read], count: int) -> float:
    targets = [NodeTarget(name=f"node-{number}") for number in range(count)]
    before = children_cpu_s() + time.process_time()
    # They share this machine's cores: a node that waits for one is not slow.
    answers = asyncio.run(observe_all(targets, reads, per_node_timeout=600.0))
    spent = children_cpu_s() + time.process_time() - before
    failed = [answer.error for answer in answers if answer.error]
    if failed:
        sys.exit(f"{len(failed)} nodes do not answer: {failed[0]}")
    return spent / count


if __name__ == "__main__":
    sys.exit(main())
