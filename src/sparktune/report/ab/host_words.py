"""What guards saw of the hosts during an experiment, in words and as JSON: memory, what stopped it, who was blind."""

__all__ = ["host_lines", "memory_record", "memory_words", "trip_records", "unwatched"]

from collections.abc import Iterator, Sequence

from sparktune.experiment.memory_curve import MemoryCurve, curves_by_visit
from sparktune.experiment.result import ExperimentResult, MeasuredVisit
from sparktune.model.engine import JsonValue
from sparktune.report.bench.words import one_line
from sparktune.units import count_of, format_bytes

_LONG = 160  # a reason may name a command in full; JSON has it whole


def host_lines(result: ExperimentResult) -> Iterator[str]:
    """Return a line per node and per guard that stopped a visit or could not watch."""
    for visit in result.visits:
        trip = visit.record.trip
        if trip is not None:
            where = f" on {trip.node}" if trip.node else ""
            yield f"stopped by {trip.guard}{where}, {_name(visit)}: {one_line(trip.evidence)}"
    yield from _memory(result)
    yield from (f"guards: {line if len(line) <= _LONG else line[: _LONG - 1] + '…'}" for line in unwatched(result))
    if not result.experiment.protection.on:
        yield "guards: off, nothing watched the hosts"


def unwatched(result: ExperimentResult) -> tuple[str, ...]:
    """Return which guards could not watch in some visit, and why."""
    return tuple(dict.fromkeys(one_line(line) for visit in result.visits for line in visit.record.unwatched))


def trip_records(result: ExperimentResult) -> list[JsonValue]:
    """Return what stopped visits."""
    return [
        {
            "block": visit.record.block,
            "attempt": visit.record.attempt,
            "arm": visit.record.arm.value,
            "guard": trip.guard,
            "node": trip.node,
            "evidence": trip.evidence,
            "hint": trip.hint,
        }
        for visit in result.visits
        if (trip := visit.record.trip) is not None
    ]


def memory_record(result: ExperimentResult, visit: MeasuredVisit) -> list[JsonValue]:
    """Return the memory of each node over a visit; empty where it was not watched."""
    record = visit.record
    curves = curves_by_visit(result.curves).get((record.block, record.attempt, record.place), ())
    return [
        {
            "node": curve.node,
            "lowest_bytes": curve.lowest,
            "highest_bytes": curve.highest,
            "swing_bytes": curve.swing,
            "ticks": curve.ticks,
        }
        for curve in curves
    ]


def memory_words(curve: MemoryCurve) -> str:
    """Return the memory of a node over one visit."""
    return (
        f"{curve.node} had {format_bytes(curve.lowest)} available at least, {format_bytes(curve.swing)} less than most"
    )


def _memory(result: ExperimentResult) -> Iterator[str]:
    by_node: dict[str, list[MemoryCurve]] = {}
    for curve in result.curves:
        by_node.setdefault(curve.node, []).append(curve)
    for node, curves in by_node.items():
        yield f"memory of {one_line(node)} ({count_of(len(curves), 'visit')}): {_sizes(curves)}"


def _sizes(curves: Sequence[MemoryCurve]) -> str:
    lowest, swing = min(curve.lowest for curve in curves), max(curve.swing for curve in curves)
    return f"{format_bytes(lowest)} left at least; {format_bytes(swing)} between most and least of one visit, at most"


def _name(visit: MeasuredVisit) -> str:
    return f"block {visit.record.block}, arm {visit.record.arm.value}"
