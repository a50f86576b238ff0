"""What guards saw and did: the trip, the curve of memory that led there, and the same as JSON. Pure."""

__all__ = ["GuardReport", "Stopped", "curve_lines", "guard_json", "guard_lines"]

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from sparktune.host.killed import Killed
from sparktune.model.guard import HostTick, Limits, Trip
from sparktune.units import Bytes, Seconds, format_bytes, format_duration, format_seconds, seconds_between

_STEPS = "▁▂▃▄▅▆▇█"
_SHOWN_S: Seconds = 30.0
_ROWS = 8
_BLOCKS = 32
_MEMORY = "memory-floor"  # what people guard for


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """What was done after a trip, and how long after it was noticed; ``engine`` is what came of ending that.

    ``after_tick_s`` counts from the tick that tripped, None where that was taken by another machine's clock.
    """

    command_s: Seconds | None = None
    after_tick_s: Seconds | None = None
    engine: str = ""
    engine_s: Seconds | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardReport:
    """All of it. ``code`` is the command's exit code, negative for a signal; None where none ran to its end.

    ``curves`` by node. ``blind``: why guards could not watch, by node and guard; ``lost``: nodes that did not answer at
    the end. ``earlyoom`` by node. ``killed`` where the command or the engine was ended by SIGKILL.
    """

    limits: Limits
    watched_s: Seconds
    command: tuple[str, ...] = ()
    code: int | None = None
    trip: Trip | None = None
    stopped: Stopped | None = None
    curves: Mapping[str, tuple[HostTick, ...]] = field(default_factory=dict)
    blind: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    off: tuple[str, ...] = ()
    lost: Mapping[str, str] = field(default_factory=dict)
    earlyoom: Mapping[str, str] = field(default_factory=dict)
    killed: Killed | None = None
    interrupted: bool = False


def guard_lines(report: GuardReport) -> list[str]:
    """Return what a person reads at the end; the evidence of a trip itself is told by its error."""
    lines = [line for node in _nodes_of(report) for line in curve_lines(node, report.curves[node], report.limits)]
    if report.stopped is not None:
        lines += _stopped(report.stopped)
    elif report.trip is None:
        lost = {node: why.removeprefix(f"{node}: ") for node, why in report.lost.items()}
        lines += [f"{node} was not watched {_since(node, report)}: {why}" for node, why in lost.items()]
        lines += [_quiet_end(report)] if any(report.curves.values()) else []
    if report.killed is not None:
        lines.append(report.killed.text)
        lines += [f"  {report.killed.evidence}"] if report.killed.evidence else []
    from sparktune.report.bench.words import printable  # noqa: PLC0415 - it comes with all that a bench has words for

    return [printable(line) for line in lines]


def curve_lines(node: str, ticks: Sequence[HostTick], limits: Limits) -> list[str]:
    """Return the last 30 seconds of a node's memory as a line of blocks and a small table; none without memory."""
    last = [one for one in ticks if seconds_between(one.monotonic_ns, ticks[-1].monotonic_ns) <= _SHOWN_S]
    known = [(one, one.available) for one in last if one.available is not None]
    if not known:
        return []
    sizes = [size for _, size in known]
    floor = limits.available_floor
    least = min([*sizes, floor or min(sizes)])
    line = "".join(_block(size, least, max(sizes)) for size in _lows(sizes))
    beside = f", floor {format_bytes(floor)}" if floor is not None else ""
    head = f"{node}: MemAvailable, the last {seconds_between(last[0].monotonic_ns, last[-1].monotonic_ns):.0f} s"
    return [f"{head}: {format_bytes(sizes[0])} [{line}] {format_bytes(sizes[-1])}{beside}", *_table(last)]


def guard_json(report: GuardReport) -> str:
    """Return everything as one JSON object."""
    trip, stopped = report.trip, report.stopped
    document = {
        "schema": 1,
        "command": list(report.command) or None,
        "exit_code": report.code,
        "watched_s": report.watched_s,
        "interrupted": report.interrupted,
        "trip": None if trip is None else _trip(trip),
        "stopped": None if stopped is None else asdict(stopped),
        "limits": asdict(report.limits),
        "off": list(report.off),
        "nodes": [_node(name, ticks, report) for name, ticks in report.curves.items()],
        "load": {"unwatched": dict(report.blind.get("", {}))},
        "killed": None if report.killed is None else {**asdict(report.killed), "killer": report.killed.killer.value},
    }
    return json.dumps(document, ensure_ascii=False) + "\n"


def _nodes_of(report: GuardReport) -> list[str]:
    """Return the node that tripped, or all where a trip is of the load; none without a trip."""
    if report.trip is None:
        return []
    return [report.trip.node] if report.trip.node in report.curves else list(report.curves)


def _since(node: str, report: GuardReport) -> str:
    return "at the end" if report.curves.get(node) else "at all"


def _quiet_end(report: GuardReport) -> str:
    lowest = [f"{node} {format_bytes(low)}" for node, ticks in report.curves.items() if (low := _lowest(ticks))]
    told = f"; lowest MemAvailable: {', '.join(lowest)}" if lowest else ""
    unseen = [
        f"{node} ({why})" for node, ticks in report.curves.items() if ticks and (why := _blind_to_memory(node, report))
    ]
    told += f"; memory was NOT watched on {', '.join(unseen)}" if unseen else ""
    return f"guarded for {format_duration(report.watched_s)}, no limit was crossed{told}"


def _blind_to_memory(node: str, report: GuardReport) -> str:
    return report.blind.get(node, {}).get(_MEMORY, "")


def _stopped(stopped: Stopped) -> Iterator[str]:
    if stopped.command_s is not None:
        since = "" if stopped.after_tick_s is None else f", {format_seconds(stopped.after_tick_s)} after the tick"
        yield f"the command and its process group had ended {format_seconds(stopped.command_s)} later{since}"
    if stopped.engine:
        took = f" ({format_seconds(stopped.engine_s)} later)" if stopped.engine_s is not None else ""
        yield f"engine: {stopped.engine}{took}"


def _lows(sizes: Sequence[Bytes]) -> list[Bytes]:
    """Return so many sizes as a narrow terminal has room for: of several that become one, the lowest."""
    each = -(-len(sizes) // _BLOCKS)
    return [min(sizes[at : at + each]) for at in range(0, len(sizes), each)]


def _table(ticks: Sequence[HostTick]) -> Iterator[str]:
    yield f"  {'at':>8}  {'available':>10}  {'free':>10}  pages swapped"
    every = max(1, len(ticks) // _ROWS)
    shown = ticks[::-1][::every][: _ROWS + 1][::-1]
    before: HostTick | None = None
    for one in shown:
        at = seconds_between(ticks[-1].monotonic_ns, one.monotonic_ns)
        swapped = _swapped(before, one)
        yield (
            f"  {at:>6.1f} s  {_size(one.available):>10}  {_size(one.free):>10}  "
            f"{'unknown' if swapped is None else swapped:>13}"
        )
        before = one


def _swapped(before: HostTick | None, now: HostTick) -> int | None:
    if before is None:
        return None
    pages = [
        None if old is None or new is None else max(0, new - old)
        for old, new in (
            (before.swapped_in_pages, now.swapped_in_pages),
            (before.swapped_out_pages, now.swapped_out_pages),
        )
    ]
    return None if None in pages else sum(one or 0 for one in pages)


def _block(size: Bytes, least: Bytes, most: Bytes) -> str:
    return _STEPS[-1] if most == least else _STEPS[round((size - least) / (most - least) * (len(_STEPS) - 1))]


def _size(value: Bytes | None) -> str:
    return "unknown" if value is None else format_bytes(value)


def _lowest(ticks: Sequence[HostTick]) -> Bytes | None:
    return min((one.available for one in ticks if one.available is not None), default=None)


def _trip(trip: Trip) -> dict[str, object]:
    return {"guard": trip.guard, "node": trip.node or None, "evidence": trip.evidence, "hint": trip.hint}


def _node(name: str, ticks: Sequence[HostTick], report: GuardReport) -> dict[str, object]:
    return {
        "node": name,
        "error": report.lost.get(name),
        "earlyoom": report.earlyoom.get(name) or None,
        "lowest_available_bytes": _lowest(ticks),
        "unwatched": dict(report.blind.get(name, {})),
        "curve": [
            {
                "at_s": seconds_between(ticks[-1].monotonic_ns, one.monotonic_ns),
                "available_bytes": one.available,
                "free_bytes": one.free,
                "swapped_in_pages": one.swapped_in_pages,
                "swapped_out_pages": one.swapped_out_pages,
            }
            for one in ticks
        ],
    }
