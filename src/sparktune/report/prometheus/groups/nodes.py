"""Nodes: whether each answers, what memory it has left above the guard line, and its heat.

Source: proc(5) for MemAvailable and oom_kill; the guard line is that of ``sparktune guard`` and ``sparktune doctor``.
"""

__all__ = ["GROUP"]

from collections.abc import Callable, Iterator
from typing import Final

from sparktune.host.facts.gpu import GpuFacts
from sparktune.host.facts.memory import MemoryFacts
from sparktune.host.facts.thermal import ThermalFacts
from sparktune.host.guard import GUARD_AVAILABLE_BYTES
from sparktune.model.node import NodeFacts
from sparktune.model.observed import Observed
from sparktune.report.prometheus.seen import Seen, Unknown
from sparktune.report.prometheus.series import Alert, Group, Kind, Panel, Point, Series, Shape

_NODE: Final = ("node",)


def _answered(seen: Seen) -> tuple[NodeFacts, ...]:
    return seen.cluster.answered if seen.cluster is not None else ()


def _up(seen: Seen) -> Iterator[Point]:
    for node in seen.cluster.nodes if seen.cluster is not None else ():
        yield Point(0.0 if node.failure else 1.0, (node.node,))


def _memory(pick: Callable[[MemoryFacts], Observed[int]], less: int = 0) -> Callable[[Seen], Iterator[Point]]:
    """Return a reader of one field of memory, ``less`` bytes taken off."""

    def read(seen: Seen) -> Iterator[Point]:
        for node in _answered(seen):
            facts = node.get(MemoryFacts)
            value = pick(facts).value if facts is not None else None
            if value is not None:
                yield Point(float(value - less), (node.node,))

    return read


def _swap_used(seen: Seen) -> Iterator[Point]:
    for node in _answered(seen):
        facts = node.get(MemoryFacts)
        if facts is not None and facts.swap_total.value is not None and facts.swap_free.value is not None:
            yield Point(float(facts.swap_total.value - facts.swap_free.value), (node.node,))


def _hottest(node: NodeFacts) -> float | None:
    facts = node.get(ThermalFacts)
    zones = [zone.temperature.value for zone in facts.zones if zone.temperature.value is not None] if facts else []
    return max(zones, default=None)


def _zones(seen: Seen) -> Iterator[Point]:
    for node in _answered(seen):
        heat = _hottest(node)
        if heat is not None:
            yield Point(heat, (node.node,))


def _gpus(seen: Seen) -> Iterator[Point]:
    for node in _answered(seen):
        facts = node.get(GpuFacts)
        for gpu in (facts.gpus.value or ()) if facts is not None else ():
            if gpu.temperature.value is not None:
                yield Point(gpu.temperature.value, (node.node, str(gpu.index)))


def _guard_line(_: Seen) -> Iterator[Point]:
    yield Point(float(GUARD_AVAILABLE_BYTES))


def _unknown(seen: Seen) -> Iterator[Unknown]:
    for node in seen.cluster.nodes if seen.cluster is not None else ():
        if node.failure:
            yield Unknown(what="node", node=node.node, why=node.failure)
            continue
        facts = node.get(MemoryFacts)
        if facts is None or facts.available.value is None:
            why = facts.available.why if facts is not None else ""
            yield Unknown(what="memory", node=node.node, why=why or "MemAvailable is not told")
        if _hottest(node) is None:
            yield Unknown(what="heat", node=node.node, why="no thermal zone tells its temperature")


GROUP = Group(
    title="Nodes and their memory",
    order=10,
    series=(
        Series(
            name="sparktune_node_up",
            help="Whether the node answered when it was asked last: 1 or 0.",
            labels=_NODE,
            read=_up,
            alerts=(
                Alert(
                    name="SparktuneNodeDown",
                    expr="sparktune_node_up == 0",
                    holds="5m",
                    severity="critical",
                    summary="{{ $labels.node }} does not answer sparktune",
                    runbook="See why: sparktune doctor --nodes {{ $labels.node }}",
                ),
            ),
            panel=Panel(
                title="Nodes",
                expr="sparktune_node_up",
                shape=Shape.STAT,
                legend="{{node}}",
                width=8,
                steps=((0, "red"), (1, "green")),
                words={"0": "no answer", "1": "answers"},
            ),
        ),
        Series(
            name="sparktune_memory_headroom_bytes",
            help="MemAvailable less the guard line; below 0 the machine is at risk of swapping and of losing ssh.",
            labels=_NODE,
            read=_memory(lambda facts: facts.available, GUARD_AVAILABLE_BYTES),
            alerts=(
                Alert(
                    name="SparktuneMemoryBelowGuardLine",
                    expr="sparktune_memory_headroom_bytes < 0",
                    holds="2m",
                    severity="critical",
                    summary="{{ $labels.node }}: memory is below the guard line, headroom {{ $value | humanize1024 }}B",
                    runbook="See who holds it: sparktune watch --nodes {{ $labels.node }}; then fewer sequences, a "
                    "smaller KV cache, or one big tenant fewer",
                ),
            ),
            panel=Panel(
                title="Memory above the guard line",
                expr="sparktune_memory_headroom_bytes",
                shape=Shape.LINES,
                unit="bytes",
                legend="{{node}}",
                width=16,
                steps=((0, "green"),),
            ),
        ),
        Series(
            name="sparktune_memory_available_bytes",
            help="MemAvailable: what can be had without swapping, for CPU and GPU together on a GB10.",
            labels=_NODE,
            read=_memory(lambda facts: facts.available),
        ),
        Series(
            name="sparktune_memory_total_bytes",
            help="MemTotal.",
            labels=_NODE,
            read=_memory(lambda facts: facts.total),
        ),
        Series(
            name="sparktune_memory_guard_line_bytes",
            help="The guard line of MemAvailable, at which sparktune ends a load.",
            read=_guard_line,
        ),
        Series(
            name="sparktune_swap_used_bytes",
            help="Swap that is in use.",
            labels=_NODE,
            read=_swap_used,
            panel=Panel(
                title="Swap in use",
                expr="sparktune_swap_used_bytes",
                shape=Shape.LINES,
                unit="bytes",
                legend="{{node}}",
            ),
        ),
        Series(
            name="sparktune_oom_kills_total",
            help="Processes that the kernel killed for want of memory, since the node started.",
            labels=_NODE,
            kind=Kind.COUNTER,
            read=_memory(lambda facts: facts.oom_kills),
            alerts=(
                Alert(
                    name="SparktuneOomKill",
                    expr="increase(sparktune_oom_kills_total[15m]) > 0",
                    holds="0m",
                    severity="critical",
                    summary="the kernel of {{ $labels.node }} killed a process for want of memory",
                    runbook="See which: sparktune doctor --nodes {{ $labels.node }}",
                ),
            ),
        ),
        Series(
            name="sparktune_hottest_zone_celsius",
            help="Temperature of the node's hottest thermal zone.",
            labels=_NODE,
            read=_zones,
            panel=Panel(
                title="Hottest thermal zone",
                expr="sparktune_hottest_zone_celsius",
                shape=Shape.LINES,
                unit="celsius",
                legend="{{node}}",
            ),
        ),
        Series(
            name="sparktune_gpu_temperature_celsius",
            help="Temperature of a GPU as nvidia-smi tells it.",
            labels=("node", "gpu"),
            read=_gpus,
        ),
    ),
    unknown=_unknown,
)
