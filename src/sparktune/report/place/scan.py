"""What ``place scan`` found: lines for people, and JSON of schema 1."""

__all__ = ["ScanView", "scan_json", "scan_text"]

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from sparktune.host.cpulist import format_cpulist
from sparktune.model.place import IrqHit, Poller, PollerVerdict, ThreadWindow
from sparktune.report.bench.words import printable
from sparktune.report.place.scan_threads import thread_lines
from sparktune.units import Celsius, count_of

_MOST_IRQS = 6
_SHOWN = (PollerVerdict.CERTAIN, PollerVerdict.LIKELY, PollerVerdict.UNDER_LOAD)


class ScanView(Protocol):
    """One node's scan, as flows.place_scan has it."""

    @property
    def node(self) -> str:
        """Its name."""

    @property
    def pollers(self) -> Sequence[Poller]:
        """The threads that want a core."""

    @property
    def threads(self) -> int:
        """How many threads were looked at."""

    @property
    def windows(self) -> int:
        """How many windows."""

    @property
    def heat(self) -> Mapping[str, Celsius]:
        """Temperatures by sensor."""

    @property
    def interrupts(self) -> Sequence[IrqHit]:
        """What hit performance cores often while it was watched."""

    @property
    def notes(self) -> Sequence[str]:
        """What could not be told."""

    @property
    def failure(self) -> str:
        """Why it did not answer."""

    @property
    def hint(self) -> str:
        """What to do about that."""


def scan_text(nodes: Sequence[ScanView]) -> str:
    """Return the verdict of every node, then what was seen of each thread and what to do."""
    lines = [line for node in nodes for line in (_verdict(node), *_details(node))]
    return "\n".join(printable(line) for line in lines) + "\n"


def scan_json(nodes: Sequence[ScanView]) -> str:
    """Return the document."""
    return json.dumps({"schema": 1, "nodes": [_node(node) for node in nodes]}, ensure_ascii=False, indent=2) + "\n"


def _verdict(node: ScanView) -> str:
    if node.failure:
        why = node.failure.removeprefix(f"{node.node}: ")
        return f"{node.node}: not told: {why}" + (f" ({node.hint})" if node.hint else "")
    counts = [(sum(one.verdict is verdict for one in node.pollers), verdict) for verdict in _SHOWN]
    words = {
        PollerVerdict.CERTAIN: "polls for nothing",
        PollerVerdict.LIKELY: "may poll",
        PollerVerdict.UNDER_LOAD: "is busy under load",
    }
    told = [f"{count_of(count, 'thread')} {_plural(words[verdict], count)}" for count, verdict in counts if count]
    seen = f"{count_of(node.threads, 'thread')} seen in {count_of(node.windows, 'window')}"
    return f"{node.node}: {', '.join(told) or 'no thread takes a core for nothing'} ({seen})"


def _plural(words: str, count: int) -> str:
    return words if count == 1 else words.replace("polls", "poll").replace("is busy", "are busy")


def _details(node: ScanView) -> Iterator[str]:
    for verdict in _SHOWN:
        yield from thread_lines([one for one in node.pollers if one.verdict is verdict])
    if node.pollers and node.heat:
        yield f"  heat now: {', '.join(f'{name} {value:.0f} C' for name, value in node.heat.items())}"
    yield from _interrupts(node.interrupts)
    yield from (f"  note: {note}" for note in node.notes)


def _interrupts(hits: Sequence[IrqHit]) -> Iterator[str]:
    """List those that hit most; what moving them brings is for the person to measure."""
    if hits:
        yield "  interrupts on performance cores meanwhile (worth knowing; what moving them brings nobody measured)"
    for hit in hits[:_MOST_IRQS]:
        yield f"    IRQ {hit.irq} ({hit.name}) of {hit.device}: {hit.per_s:,.0f}/s on CPU {_cores_of(hit)}"
        yield f"      then: {hit.then}"
    if len(hits) > _MOST_IRQS:
        rest = hits[_MOST_IRQS:]
        yield f"    {len(rest)} more with {sum(hit.per_s for hit in rest):,.0f}/s in all; --json lists them"


def _cores_of(hit: IrqHit) -> str:
    return format_cpulist(frozenset(hit.per_cpu))


def _node(node: ScanView) -> dict[str, object]:
    if node.failure:
        return {"node": node.node, "error": node.failure, "hint": node.hint}
    return {
        "node": node.node,
        "threads": node.threads,
        "windows": node.windows,
        "heat_c": dict(node.heat),
        "interrupts": [_interrupt(one) for one in node.interrupts],
        "notes": list(node.notes),
        "pollers": [_record(one) for one in node.pollers],
    }


def _interrupt(hit: IrqHit) -> dict[str, object]:
    return {
        "irq": hit.irq,
        "name": hit.name,
        "device": hit.device,
        "per_s": hit.per_s,
        "per_s_by_cpu": {str(cpu): rate for cpu, rate in sorted(hit.per_cpu.items())},
        "movable": hit.movable,
        "then": hit.then,
    }


def _record(poller: Poller) -> dict[str, object]:
    thread = poller.thread
    return {
        "verdict": poller.verdict.value,
        "pid": thread.pid,
        "tid": thread.tid,
        "start_ticks": thread.start_ticks,
        "name": thread.name,
        "process": thread.process,
        "engine": thread.engine or None,
        "role": thread.role or None,
        "age_s": thread.age_s,
        "allowed": thread.allowed or None,
        "cores": poller.cores,
        "core_kind": poller.core_kind or None,
        "known": poller.known.id if poller.known is not None else None,
        "computes": poller.known is not None and poller.known.computes,
        "why": poller.why,
        "evidence": list(thread.evidence),
        "fix": poller.fix,
        "then": poller.then or None,
        "windows": [_window(one) for one in thread.windows],
    }


def _window(window: ThreadWindow) -> dict[str, object]:
    return {
        "length_s": window.length_s,
        "demand_ratio": window.demand,
        "ran_ratio": window.ran,
        "voluntary_per_s": window.voluntary_per_s if window.switches_told else None,
        "system_ratio": window.system,
        "faults_per_s": window.faults_per_s,
        "moved_bytes_per_s": window.moved_bytes_per_s,
        "core": window.core,
        "idle": window.idle,
    }
