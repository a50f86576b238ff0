"""``place pin``: threads that poll get other CPUs, and so do those that come after them; each is read back.

The scan comes first (``flows.place_scan``): nothing is moved that was not seen to poll. What is done is a transaction
of the node like any of ``host apply``, with a label of its own and no profile.
"""

__all__ = ["NodePinned", "PinOutcome", "apply_pins", "plan_pins_on"]

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sparktune.errors import ExitCode, HostError, NodeError
from sparktune.flows.host.apply import ApplyOptions, apply_all
from sparktune.flows.host.journal import try_journal
from sparktune.flows.host.outcome import HostOutcome, HostProgress
from sparktune.flows.place.scan import NodeScan, PlaceScan
from sparktune.host.cpulist import format_cpulist
from sparktune.host.pinning.choose import fits_wish
from sparktune.host.pinning.cpusets import group_of, group_reads
from sparktune.host.pinning.plan import LABEL, plan_pins
from sparktune.host.pinning.rows import pinned_of
from sparktune.host.pinning.seen import first_reads, seen_of
from sparktune.host.pinning.unended import given_back, unended_names
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.fanout import ask_all
from sparktune.io.transport.session import NodeSession
from sparktune.model.node_report import NodeReport
from sparktune.model.pin import NodePins, PinWish
from sparktune.model.reads import ReadFile

_ALLOWED = re.compile(r"^Cpus_allowed_list:[\t ]*(\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePinned:
    """One node: its scan, what is planned, and afterwards what became of it.

    ``report`` is None where nothing was done. ``now`` are the CPUs of each pinned thread as it was read back, by
    number; one that has ended is not among them.
    """

    node: str
    scan: NodeScan
    pins: NodePins | None = None
    report: NodeReport | None = None
    now: Mapping[int, str] = field(default_factory=dict)
    failure: str = ""
    hint: str = ""

    @property
    def pending(self) -> bool:
        """Whether something would be done."""
        return self.pins is not None and bool(self.pins.pins)

    @property
    def open(self) -> bool:
        """Whether a thread was left that may poll, or one is not where it was to be."""
        if self.pins is None:
            return False
        if any(not one.fine for one in self.pins.left):
            return True
        return self.report is not None and any(
            self.now.get(pin.poller.thread.tid) != format_cpulist(pin.cpus) for pin in self.pins.pins
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PinOutcome:
    """All nodes in their order; ``applied`` is what the transactions came to, None where there were none.

    ``missing`` says that names which were given are those of no thread on any node, "" else.
    """

    nodes: tuple[NodePinned, ...]
    applied: HostOutcome | None = None
    missing: str = ""

    @property
    def pending(self) -> bool:
        """Whether a thread is to be moved on any node."""
        return any(node.pending for node in self.nodes)

    @property
    def against(self) -> tuple[str, ...]:
        """The nodes that cannot be changed as wished."""
        return tuple(
            node.node for node in self.nodes if node.failure or (node.pins is not None and node.pins.plan.refusals)
        )

    @property
    def exit_code(self) -> ExitCode:
        """FAILED when a node did not answer, refuses, or was not changed; DIFFERENCES for what is left; else DONE."""
        if self.missing or any(node.failure for node in self.nodes):
            return ExitCode.FAILED
        if self.applied is not None and self.applied.exit_code is not ExitCode.DONE:
            return self.applied.exit_code
        if self.against or (self.pending and self.applied is None):
            return ExitCode.DIFFERENCES
        return ExitCode.DIFFERENCES if any(node.open for node in self.nodes) else ExitCode.DONE


def plan_pins_on(targets: Sequence[NodeTarget], scan: PlaceScan, wish: PinWish) -> PinOutcome:
    """Plan for what a scan of these nodes has found; nothing is changed."""
    return asyncio.run(_plan(targets, scan, wish))


def apply_pins(
    targets: Sequence[NodeTarget], planned: PinOutcome, *, who: str, on_progress: HostProgress
) -> PinOutcome:
    """Carry out exactly what was planned, node by node, and read every thread back. Raises PlanRefused."""
    return asyncio.run(_apply(targets, planned, who, on_progress))


async def _plan(targets: Sequence[NodeTarget], scan: PlaceScan, wish: PinWish) -> PinOutcome:
    scans = {one.node: one for one in scan.nodes}

    async def plan(session: NodeSession) -> NodePins:
        return await _pins(session, scans[session.target.name], wish)

    answers = await ask_all([target for target in targets if not scans[target.name].failure], plan)
    asked = iter(answers)
    nodes = []
    for target in targets:
        found = scans[target.name]
        node = NodePinned(node=target.name, scan=found, failure=found.failure, hint=found.hint)
        answer = None if found.failure else next(asked)
        if isinstance(answer, NodeError | HostError):
            node = replace(node, failure=str(answer), hint=answer.hint)
        elif answer is not None:
            node = replace(node, pins=answer)
        nodes.append(node)
    return PinOutcome(nodes=tuple(nodes), missing=_missing(nodes, wish))


def _missing(nodes: Sequence[NodePinned], wish: PinWish) -> str:
    if not (wish.process or wish.thread) or any(
        node.pins is None or node.pins.pins or node.pins.left for node in nodes
    ):
        return ""
    process = f" of processes {wish.process}" if wish.process else ""
    named = f"thread {wish.thread}{process}" if wish.thread else f"thread{process}"
    return f"no {named} was seen to want a core in every window on {', '.join(node.node for node in nodes)}"


async def _pins(session: NodeSession, scan: NodeScan, wish: PinWish) -> NodePins:
    pids = sorted({one.thread.pid for one in scan.pollers if fits_wish(one, wish)})
    hello, first = await session.greet_and_observe(first_reads(pids))
    groups = await session.observe(group_reads(group_of(pid, first) for pid in pids))
    journal, _why = await try_journal(session) if pids else (None, "")
    known = journal.transactions if journal is not None else ()
    rules = [rule for one in pinned_of(known) for rule in one.rules]
    unended = () if journal is None or journal.holder else unended_names(known)
    seen = seen_of(hello.boot_id, first, groups, pids, rules, unended)
    return plan_pins(scan.node, given_back(scan.pollers, known, hello.boot_id), wish, seen)


async def _apply(targets: Sequence[NodeTarget], planned: PinOutcome, who: str, on_progress: HostProgress) -> PinOutcome:
    plans = {node.node: node.pins.plan for node in planned.nodes if node.pins is not None and node.pending}
    changed = [target for target in targets if target.name in plans]
    options = ApplyOptions(who=who, label=LABEL, profiled=False)
    applied = await apply_all(changed, plans, options, on_progress)
    reports = {report.node: report for report in applied.reports}
    done = [replace(node, report=reports.get(node.node)) for node in planned.nodes]
    by_name = {target.name: target for target in targets}
    read = [await _read_back(by_name[node.node], node) if node.report is not None else node for node in done]
    return PinOutcome(nodes=tuple(read), applied=applied)


async def _read_back(target: NodeTarget, node: NodePinned) -> NodePinned:
    """Look at every thread once more: what the kernel shows counts, not what was written."""
    pins = node.pins.pins if node.pins is not None else ()
    paths = {
        pin.poller.thread.tid: f"/proc/{pin.poller.thread.pid}/task/{pin.poller.thread.tid}/status" for pin in pins
    }
    try:
        async with NodeSession(target) as session:
            readings = await session.observe([ReadFile(path=path) for path in paths.values()])
    except NodeError as error:
        return replace(node, failure=f"its threads could not be read back: {error}", hint=error.hint)
    found = {tid: _ALLOWED.search(readings.file(path).value or "") for tid, path in paths.items()}
    return replace(node, now={tid: match[1] for tid, match in found.items() if match is not None})
