"""Whether what was pinned is so: the rules and the pins of a node's journal beside the threads that are there now.

A rule for a thread that polls among threads of the same name cannot be checked by a look: of it those threads are
judged that the node itself has moved, and a thread that has its CPUs. Where there is none, it waits.
"""

__all__ = ["Pinned", "pinned_of", "rule_checks", "rule_reads", "rule_rows"]

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sparktune.host.cpulist import CpuSet, format_cpulist, parse_cpulist
from sparktune.host.pinning.plan import CHANGE, LABEL, rule_words
from sparktune.host.pinning.seen import program_of, systemd_there, timer_active, unit_reads
from sparktune.host.place_units import TIMER_UNIT
from sparktune.host.tasks import TASK_READS, LiveTask, tasks_of
from sparktune.model.host_plan import CheckStatus, HostCheck
from sparktune.model.observed import present
from sparktune.model.pin import RuleRow, RuleState
from sparktune.model.reads import Read, Readings, ReadLinks
from sparktune.model.step import ThreadRuleStep
from sparktune.model.transaction import Transaction

_EXES = "/proc/[0-9]*/exe"
_EXE = re.compile(r"/proc/(\d+)/exe", re.ASCII)
_HOLDS = frozenset({"committed", "unconfirmed"})
_MOVED = frozenset({"affinity", "threads"})
_PIN_AGAIN = "pin it anew: sparktune place unpin, then sparktune place pin"
_NO_THREAD = "the process runs, and has no such thread now"
_STATUSES = {
    RuleState.NOT_PINNED: CheckStatus.DIFFERENT,
    RuleState.CLIPPED: CheckStatus.DIFFERENT,
    RuleState.UNREADABLE: CheckStatus.UNREADABLE,
}
_SAID = {
    RuleState.WAITING: "none of its threads was found to poll since it was started",
    RuleState.NO_PROCESS: "no such process runs",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """One transaction of ``place pin`` that holds: its rules, and by PID/TID/START the CPUs that threads got."""

    transaction: Transaction
    rules: tuple[ThreadRuleStep, ...]
    moved: Mapping[str, str]


def pinned_of(transactions: Sequence[Transaction], boot_id: str = "") -> tuple[Pinned, ...]:
    """Return what of the journal holds, the oldest first; threads of another boot are none of this one."""
    later = [entry for one in transactions if one.state in _HOLDS for entry in one.entries if entry.kind == "threads"]
    found = []
    for one in transactions:
        if one.state not in _HOLDS or one.label != LABEL:
            continue
        own = [entry for entry in one.entries if entry.kind in _MOVED and one.boot_id == (boot_id or one.boot_id)]
        entries = [*own, *(later if one.rules else [])]
        moved = {entry.item: entry.after or "" for entry in entries if entry.change == CHANGE}
        found.append(Pinned(transaction=one, rules=one.rules, moved=moved))
    return tuple(found)


def rule_reads() -> tuple[Read, ...]:
    """Return what is asked of a node that has such transactions."""
    return (*TASK_READS, ReadLinks(pattern=_EXES), *unit_reads())


def rule_rows(pinned: Sequence[Pinned], readings: Readings) -> tuple[RuleRow, ...]:
    """Return a row for each rule, for the threads of each pin without one, and for the timer where a rule needs it."""
    view = _Threads(readings)
    rows = [row for one in pinned for row in _rows_of(one, view)]
    lasting = [one for one in pinned if any(rule.reapply for rule in one.rules)]
    return (*rows, *([_timer(lasting[-1], readings)] if lasting else []))


def rule_checks(rows: Sequence[RuleRow]) -> tuple[HostCheck, ...]:
    """Return the rows as ``host verify`` and ``drift`` have them."""
    return tuple(
        HostCheck(
            change=CHANGE,
            target=row.target,
            wanted=row.wanted,
            effective=_effective(row),
            status=_STATUSES.get(row.state, CheckStatus.OK),
            why=row.why,
        )
        for row in rows
    )


class _Threads:
    """The threads of a node now."""

    def __init__(self, readings: Readings) -> None:
        tasks = tasks_of(readings)
        self.tasks = [task for task in tasks.tasks if not task.kernel]
        self.names, self.why = tasks.names(), tasks.gaps
        self.exes = {
            int(match[1]): program_of(target)
            for path, target in readings.links.get(_EXES, {}).items()
            if (match := _EXE.fullmatch(path)) is not None
        }
        self.unread = readings.unread.get(_EXES, "")

    def of_process(self, rule: ThreadRuleStep) -> list[LiveTask]:
        """Return the threads of all processes that a rule is about."""
        return [
            task
            for task in self.tasks
            if rule.exe in {"", self.exes.get(task.pid)} and rule.process in {"", self.names.get(task.pid)}
        ]


def _rows_of(one: Pinned, view: _Threads) -> Iterator[RuleRow]:
    for rule in one.rules:
        yield _rule_row(one, rule, view)
    if not one.rules:
        yield from _once_rows(one, view)


def _rule_row(one: Pinned, rule: ThreadRuleStep, view: _Threads) -> RuleRow:
    name, target, wanted = one.transaction.id, rule_words(rule), frozenset(rule.cpus)
    row = RuleRow(transaction=name, target=target, wanted=format_cpulist(wanted), state=RuleState.NO_PROCESS)
    there = view.of_process(rule)
    if not there:
        why = view.unread or view.why
        return _with(row, RuleState.UNREADABLE if why else RuleState.NO_PROCESS, {}, why)
    fitting = [task for task in there if _fits(task, rule)]
    if rule.which == "busy":
        known = set(one.moved)
        fitting = [task for task in fitting if _item(task) in known or task.allowed == wanted]
    if not fitting:
        return _with(row, RuleState.WAITING, {}, "" if rule.which == "busy" else _NO_THREAD)
    return _with(row, *_judged(fitting, wanted))


def _once_rows(one: Pinned, view: _Threads) -> Iterator[RuleRow]:
    by_item = {_item(task): task for task in view.tasks}
    for item, after in one.moved.items():
        wanted = present(after).map(parse_cpulist).value or frozenset()
        pid, tid, _start = item.split("/")
        task = by_item.get(item)
        target = f"tid {tid} ({task.name}) of {view.names.get(task.pid, '')}" if task else f"tid {tid} of process {pid}"
        row = RuleRow(
            transaction=one.transaction.id,
            target=target,
            wanted=format_cpulist(wanted),
            state=RuleState.NO_PROCESS,
            lasting=False,
        )
        if task is None:
            unknown = view.why if not view.tasks else ""
            state = RuleState.UNREADABLE if unknown else RuleState.NO_PROCESS
            yield _with(
                row, state, {}, unknown or "it has ended, and no rule follows: sparktune place unpin forgets it"
            )
        else:
            yield _with(row, *_judged([task], wanted))


def _judged(tasks: Sequence[LiveTask], wanted: CpuSet) -> tuple[RuleState, dict[str, str], str]:
    found = {f"{task.pid}/{task.tid}": format_cpulist(task.allowed) for task in tasks}
    if any(not task.allowed <= wanted for task in tasks):
        why = f"something gave it other CPUs since (a runtime, or taskset); {_PIN_AGAIN}"
        return RuleState.NOT_PINNED, found, why
    if any(task.allowed != wanted for task in tasks):
        return RuleState.CLIPPED, found, "its cpuset leaves it only some of them: see sparktune place pin --dry-run"
    return RuleState.OK, found, ""


def _timer(one: Pinned, readings: Readings) -> RuleRow:
    active, told = timer_active(readings), systemd_there(readings)
    state = RuleState.OK if active else RuleState.NOT_PINNED if told else RuleState.UNREADABLE
    off = f"nothing looks for threads that come back: sudo systemctl enable --now {TIMER_UNIT}"
    why = "" if active else off if told else "systemd does not answer"
    found = {TIMER_UNIT: "active" if active else "not active" if told else "not told"}
    return RuleRow(
        transaction=one.transaction.id, target=TIMER_UNIT, wanted="active", state=state, found=found, why=why
    )


def _fits(task: LiveTask, rule: ThreadRuleStep) -> bool:
    if rule.which == "main":
        return task.tid == task.pid
    return rule.thread in {"", task.name}


def _item(task: LiveTask) -> str:
    return f"{task.pid}/{task.tid}/{task.start_time}"


def _with(row: RuleRow, state: RuleState, found: Mapping[str, str], why: str) -> RuleRow:
    return RuleRow(
        transaction=row.transaction,
        target=row.target,
        wanted=row.wanted,
        state=state,
        found=found,
        why=why or _SAID.get(state, ""),
        lasting=row.lasting,
    )


def _effective(row: RuleRow) -> str:
    return ", ".join(dict.fromkeys(row.found.values())) or _SAID.get(row.state, "")
