"""What ``place pin`` would do, and what became of each thread: lines for people, and JSON of schema 1."""

__all__ = ["PinView", "pin_json", "pin_text"]

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from sparktune.host.cpulist import format_cpulist
from sparktune.model.host_plan import PlannedStep
from sparktune.model.node_report import NodeReport, NodeState
from sparktune.model.pin import NodePins, Pin
from sparktune.model.step import FileStep, ThreadRuleStep
from sparktune.report.bench.words import printable
from sparktune.report.records import plain_record
from sparktune.units import count_of

_MOVED = frozenset({NodeState.APPLIED, NodeState.UNCONFIRMED})


class PinView(Protocol):
    """One node, as flows.place_pin has it."""

    @property
    def node(self) -> str:
        """Its name."""

    @property
    def pins(self) -> NodePins | None:
        """What is planned."""

    @property
    def report(self) -> NodeReport | None:
        """What became of it, None where nothing was done."""

    @property
    def now(self) -> Mapping[int, str]:
        """The CPUs of each thread as it was read back."""

    @property
    def failure(self) -> str:
        """Why it did not answer."""

    @property
    def hint(self) -> str:
        """What to do about that."""


def pin_text(nodes: Sequence[PinView], *, where: str = "", final: bool = True) -> str:
    """Return each node's verdict, then its threads, best fix first; ``final``: what to do next comes last."""
    lines = [line for node in nodes for line in (*_verdict(node), *_body(node))]
    lines += _next(nodes, where) if final else []
    return "\n".join(printable(line) for line in lines) + "\n"


def pin_json(nodes: Sequence[PinView]) -> str:
    """Return the document."""
    return json.dumps({"schema": 1, "nodes": [_node(node) for node in nodes]}, ensure_ascii=False, indent=2) + "\n"


def _verdict(node: PinView) -> Iterator[str]:
    pins, report = node.pins, node.report
    if node.failure or pins is None:
        why = node.failure.removeprefix(f"{node.node}: ")
        yield f"{node.node}: {'not told: ' if report is None else ''}{why}"
        yield from _fix(node.hint)
        return
    left = f"; {count_of(len(pins.left), 'thread')} left" if pins.left else ""
    number = count_of(len(pins.pins), "thread")
    if pins.plan.refusals:
        yield f"{node.node}: cannot be changed as asked{left}"
    elif not pins.pins:
        yield f"{node.node}: no thread to move{left}"
    elif report is None:
        yield f"{node.node}: {number} would get {_cpus(pins)}{left}"
    elif not report.failure and report.state in {NodeState.UNTOUCHED, *_MOVED}:
        right = sum(node.now.get(pin.poller.thread.tid) == format_cpulist(pin.cpus) for pin in pins.pins)
        of = "" if right == len(pins.pins) else f" of {len(pins.pins)}"
        name = report.outcome.transaction if report.outcome is not None else ""
        are = "thread is" if right == 1 else "threads are"
        how = f"transaction {name}" if name else "nothing had to be done any more"
        yield f"{node.node}: {right}{of} {are} pinned ({how}){left}"
    else:
        why = report.failure.removeprefix(f"{node.node}: ") or "nothing was done"
        yield f"{node.node}: {report.state.value}: {why}"
        yield from _fix(report.hint)


def _fix(hint: str) -> Iterator[str]:
    if hint:
        yield f"  fix: {hint}"


def _cpus(pins: NodePins) -> str:
    lists = dict.fromkeys(format_cpulist(pin.cpus) for pin in pins.pins)
    return f"CPUs {' or '.join(lists)}"


def _body(node: PinView) -> Iterator[str]:
    if node.pins is None:
        return
    for pin in node.pins.pins:
        yield from _pin(pin, node)
    rules = [step for step in node.pins.plan.steps if isinstance(step.step, ThreadRuleStep)]
    for step in rules:
        yield f"  rule: {step.target}: CPUs {step.after}"
    yield from _keeper(node.pins.plan.steps)
    if node.pins.pins and node.report is None and not node.pins.plan.refusals:
        yield "  way back: sparktune place unpin takes all of this back"
    for left in node.pins.left:
        yield f"  left: {left.what}: {left.reason}"
        yield from (f"    do: {left.hint}" for _ in [0] if left.hint)
    notes = node.pins.plan.notes if node.report is None else node.report.notes
    yield from (f"  note: {note}" for note in notes)
    told = {f"{left.what}: {left.reason}" for left in node.pins.left}
    for refusal in node.pins.plan.refusals:
        if refusal.reason not in told:
            yield f"  against it: {refusal.reason}"
            yield from (f"    do: {refusal.hint}" for _ in [0] if refusal.hint)


def _pin(pin: Pin, node: PinView) -> Iterator[str]:
    poller, thread = pin.poller, pin.poller.thread
    wanted = format_cpulist(pin.cpus)
    who = f"tid {thread.tid} ({thread.name}) of process {thread.pid} ({thread.process})"
    if node.report is not None:
        yield f"  {who}: CPUs {pin.before} -> {wanted}, {_read_back(pin, node)}"
        return
    core = thread.windows[-1].core if thread.windows else None
    where = f" on CPU {core}" + (f" ({poller.core_kind})" if poller.core_kind else "") if core is not None else ""
    yield f"  {who}, {poller.verdict.value}, takes {poller.cores:.2f} core{where}"
    yield f"    better first: {poller.fix}"
    yield f"    move: CPUs {pin.before} -> {wanted}"


def _read_back(pin: Pin, node: PinView) -> str:
    now, wanted = node.now.get(pin.poller.thread.tid), format_cpulist(pin.cpus)
    if now is None:
        return "it has ended meanwhile"
    if node.report is not None and node.report.failure:
        return f"it has {now}"
    return f"read back {now}" if now == wanted else f"BUT READ BACK {now}"


def _keeper(steps: Sequence[PlannedStep]) -> Iterator[str]:
    files = [step.target for step in steps if isinstance(step.step, FileStep)]
    if files:
        yield f"  installs: {', '.join(files)}"


def _next(nodes: Sequence[PinView], where: str) -> Iterator[str]:
    flags = f" {where}" if where else ""
    if any(node.report is not None and node.report.state in _MOVED for node in nodes):
        yield f"is it still so: sparktune place status{flags}"
        yield f"to take it back: sparktune place unpin{flags}"
        yield "whether it pays nobody has measured here; to see that: unpin, then sparktune place trial TID@NODE"
    elif any(
        node.report is None and node.pins is not None and node.pins.pins and not node.pins.plan.refusals
        for node in nodes
    ):
        yield "nothing was changed; without --dry-run this asks, and then does it"


def _node(node: PinView) -> dict[str, object]:
    pins, report = node.pins, node.report
    outcome = report.outcome if report is not None else None
    return {
        "node": node.node,
        "error": node.failure or (report.failure if report is not None else "") or None,
        "hint": node.hint or (report.hint if report is not None else "") or None,
        "state": report.state.value if report is not None else None,
        "transaction": outcome.transaction if outcome is not None else None,
        "pins": [_record(pin, node) for pin in pins.pins] if pins is not None else [],
        "left": [plain_record(one) for one in pins.left] if pins is not None else [],
        "refusals": [{"reason": one.reason, "hint": one.hint} for one in pins.plan.refusals] if pins else [],
        "steps": [{"target": step.target, "from": step.before, "to": step.after} for step in pins.plan.steps]
        if pins is not None
        else [],
        "notes": list(pins.plan.notes) if pins is not None else [],
    }


def _record(pin: Pin, node: PinView) -> dict[str, object]:
    thread, rule = pin.poller.thread, pin.rule
    return {
        "pid": thread.pid,
        "tid": thread.tid,
        "start_ticks": thread.start_ticks,
        "name": thread.name,
        "process": thread.process,
        "verdict": pin.poller.verdict.value,
        "fix": pin.poller.fix,
        "from": pin.before,
        "to": format_cpulist(pin.cpus),
        "now": node.now.get(thread.tid),
        "rule": None
        if rule is None
        else {"exe": rule.exe, "process": rule.process, "thread": rule.thread, "which": rule.which},
    }
