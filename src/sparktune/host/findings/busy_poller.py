"""A thread that takes a whole core in two samples while no request runs: it polls, and may be moved alone."""

__all__ = ["FINDING"]

from collections.abc import Iterator

from sparktune.host.cpulist import CpuSet, format_cpulist
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.findings._shared import Found, node_rule
from sparktune.host.thread_load import LoadSample, ThreadLoad, ThreadLoadFacts
from sparktune.model.finding import Severity
from sparktune.model.node import NodeFacts
from sparktune.units import format_percent

_WHOLE_CORE = 0.95
_TWO = 2


def _judge(node: NodeFacts) -> Iterator[Found]:
    samples = (node.get(ThreadLoadFacts) or ThreadLoadFacts()).samples
    cpu = node.get(CpuFacts)
    slow = cpu.split.value.efficiency if cpu is not None and cpu.split.value is not None else None
    for seen in _hot(sample for sample in samples if sample.idle):
        thread = seen[-1]
        if len(seen) < _TWO or (slow is not None and thread.core in slow):
            continue
        shares = " and ".join(format_percent(one.share) for one in seen)
        yield Found(
            severity=Severity.WARNING,
            evidence=f"thread {thread.tid} ({thread.name}) of process {thread.pid} ({thread.process}) took {shares} of "
            f"a core in {len(seen)} samples without a request, last on CPU {thread.core}; other threads of the process "
            "are not meant",
            hint=_hint(thread, slow),
        )


def _hot(samples: Iterator[LoadSample]) -> list[list[ThreadLoad]]:
    seen: dict[tuple[int, int], list[ThreadLoad]] = {}
    for sample in samples:
        for thread in sample.threads:
            if thread.share >= _WHOLE_CORE:
                seen.setdefault((thread.pid, thread.tid), []).append(thread)
    return list(seen.values())


def _hint(thread: ThreadLoad, slow: CpuSet | None) -> str:
    where = f"{max(slow)}" if slow else "CORE"
    cores = format_cpulist(slow) if slow else "the efficiency cores (0-4,10-14 on a GB10)"
    first = "update llama.cpp first: newer servers sleep when idle. Else move" if "rpc" in thread.process else "move"
    return (
        f"{first} that thread alone: taskset -cp {where} {thread.tid}, with CORE one of {cores}; keep it only when the "
        "machine is cooler and tokens per second are not lower in several samples, then start the program with "
        f"taskset -c LIST {thread.process} for good"
    )


FINDING = node_rule(
    "busy-poller",
    title="A thread polls on a core while nothing is to do",
    why="One core at full load for nothing heats the chip; a process's average over all cores hides it (5 % of 20 "
    "cores). A thread that is busy under load is at work, and is left alone here.",
    source="https://github.com/ggml-org/llama.cpp/pull/20590; Linux proc(5); top(1)",
    judge=_judge,
)
