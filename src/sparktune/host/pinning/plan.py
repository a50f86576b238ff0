"""The plan of a node: threads that are moved now, rules for those that come later, and what keeps these rules."""

__all__ = ["CHANGE", "LABEL", "plan_keeper", "plan_pins", "rule_words"]

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from sparktune.host.cpulist import CpuSet, format_cpulist
from sparktune.host.pinning.choose import choose, fits_wish, with_rule_for
from sparktune.host.place_units import EVERY_S, TIMER_UNIT, place_files, place_links
from sparktune.host.words import join
from sparktune.model.host_plan import NodePlan, PlannedStep, Refusal, TakesEffect
from sparktune.model.pin import LeftThread, NodePins, Pin, PinWish, PlaceSeen
from sparktune.model.place import Poller
from sparktune.model.profile import Profile
from sparktune.model.step import AffinityStep, FileStep, LinkStep, ReloadStep, ServiceStep, Step, Task, ThreadRuleStep

CHANGE: Final = "place"
"""What the steps of a pin belong to, in plans and journals."""
LABEL: Final = "place pin"
"""The label of its transactions in a node's journal: ``place unpin`` takes back these, and no other."""
_NO_SYSTEMD: Final = "systemd does not answer there, and without it nothing looks for threads that come back"
_NCCL: Final = (
    "{} uses NCCL, which may choose the CPUs of its own threads when it starts (not with NCCL_IGNORE_CPU_AFFINITY=1)"
)
_CHILDREN: Final = "threads that a moved thread starts later have its CPUs, too"
_SEVERAL: Final = (
    "several threads of {} poll at once, so that none of them rests: a rule finds none of those that come later; pin "
    "them again when it was started again"
)
_UNENDED: Final = "transaction {} broke off half-way: it is taken back before this is done"
_WHOLE: Final = "{0} has this one thread: to do without rule and timer start it with taskset -c {1} before its command"


def plan_pins(node: str, pollers: Sequence[Poller], wish: PinWish, seen: PlaceSeen) -> NodePins:
    """Return the plan of a node. A thread that cannot be moved is left; one that somebody named is a refusal."""
    meant = [poller for poller in pollers if fits_wish(poller, wish)]
    answers = [choose(poller, wish, seen) for poller in meant]
    chosen = tuple(one for one in answers if isinstance(one, Pin))
    pins = tuple(with_rule_for(pin, chosen, seen.processes[pin.poller.thread.pid]) for pin in chosen)
    left = (*(one for one in answers if isinstance(one, LeftThread)), *_not_there(node, meant, wish))
    refusals = [_refusal(one) for one in left if wish.named and not _is_right(one)]
    if pins and not wish.once and not seen.systemd:
        hint = "pin until these threads end: --once"
        refusals.append(Refusal(change=CHANGE, reason=_NO_SYSTEMD, hint=hint))
    return NodePins(node=node, plan=_plan(node, pins, seen, refusals), pins=pins, left=left)


def plan_keeper(node: str, seen: PlaceSeen) -> NodePlan:
    """Return what brings back the unit and the timer of rules that hold; no steps when they are there."""
    return NodePlan(node=node, boot_id=seen.boot_id, profile=Profile(name=CHANGE), steps=(*_units(seen), *_start(seen)))


def _plan(node: str, pins: tuple[Pin, ...], seen: PlaceSeen, refusals: Sequence[Refusal]) -> NodePlan:
    lasting = any(pin.rule is not None for pin in pins)
    steps = (
        *(_units(seen) if lasting else ()),
        *_moves(pins),
        *(_follows(rule) for rule in _new_rules(pins, seen)),
        *(_start(seen) if lasting else ()),
    )
    return NodePlan(
        node=node,
        boot_id=seen.boot_id,
        profile=Profile(name=CHANGE),
        steps=steps,
        refusals=tuple(refusals),
        notes=tuple(_notes(pins, seen)),
    )


def rule_words(rule: ThreadRuleStep) -> str:
    """Say in words which threads a rule is for."""
    program = f"{rule.process} ({rule.exe})" if rule.process != rule.exe else rule.exe
    if rule.which == "main":
        return f"the first thread of {program}"
    if rule.which == "busy":
        return f"a thread {rule.thread} of {program} that polls while its others rest"
    return f"threads {rule.thread} of {program}"


def _new_rules(pins: Iterable[Pin], seen: PlaceSeen) -> list[ThreadRuleStep]:
    """Return each rule once, without those that are applied already."""
    found: list[ThreadRuleStep] = []
    for pin in pins:
        if pin.rule is not None and pin.rule not in found and pin.rule not in seen.rules:
            found.append(pin.rule)
    return found


def _moves(pins: Sequence[Pin]) -> Iterable[PlannedStep]:
    by_cpus: dict[CpuSet, list[Pin]] = {}
    for pin in pins:
        by_cpus.setdefault(pin.cpus, []).append(pin)
    for cpus, found in by_cpus.items():
        threads = [pin.poller.thread for pin in found]
        step = AffinityStep(
            tasks=tuple(Task(pid=one.pid, tid=one.tid, start_time=one.start_ticks) for one in threads),
            cpus=tuple(sorted(cpus)),
            expect={f"{one.pid}/{one.tid}/{one.start_ticks}": one.allowed for one in threads},
        )
        target = join(f"tid {one.tid} ({one.name}) of {one.process}" for one in threads)
        yield _step(target, join(dict.fromkeys(pin.before for pin in found)), format_cpulist(cpus), step)


def _follows(rule: ThreadRuleStep) -> PlannedStep:
    after = f"{format_cpulist(frozenset(rule.cpus))}, also after a restart (looked for every {EVERY_S:g} s)"
    return _step(rule_words(rule), "no rule", after, rule)


def _units(seen: PlaceSeen) -> Iterable[PlannedStep]:
    """Yield what is not there yet of unit, timer and link, and that systemd reads it."""
    steps = [
        _step(
            file.path,
            "another text" if file.path in seen.units else "no file",
            file.role,
            FileStep(path=file.path, text=file.text, expect={file.path: seen.units.get(file.path)}),
            diff=_diff(file.path, seen.units.get(file.path), file.text),
        )
        for file in place_files()
        if seen.units.get(file.path) != file.text
    ]
    for path, target in place_links():
        if seen.units.get(path) != target:
            link = LinkStep(path=path, target=target, expect={path: seen.units.get(path)})
            steps.append(_step(path, seen.units.get(path, "not enabled"), target, link))
    if steps:
        steps.append(_step("systemd's files", "as read before", "read again", ReloadStep()))
    return steps


def _start(seen: PlaceSeen) -> Iterable[PlannedStep]:
    if not seen.timer:
        yield _step(TIMER_UNIT, "not running", "runs", ServiceStep(unit=TIMER_UNIT, do="start"))


def _step(target: str, before: str, after: str, step: Step, diff: str = "") -> PlannedStep:
    return PlannedStep(
        change=CHANGE,
        target=target,
        before=before,
        after=after,
        takes_effect=TakesEffect.LIVE,
        step=step,
        diff=diff,
    )


def _diff(path: str, before: str | None, after: str) -> str:
    old = [] if before is None else before.splitlines()
    names = ("/dev/null" if before is None else path, path)
    return "\n".join(difflib.unified_diff(old, after.splitlines(), *names, lineterm=""))


def _notes(pins: Sequence[Pin], seen: PlaceSeen) -> Iterable[str]:
    yield from (_UNENDED.format(name) for name in seen.unended if pins)
    if pins:
        yield _CHILDREN
    watched = Counter(pin.poller.thread.pid for pin in pins if pin.rule is not None and pin.rule.which == "busy")
    for pid in (pid for pid, number in watched.items() if number > 1):
        yield _SEVERAL.format(next(pin.poller.thread.process for pin in pins if pin.poller.thread.pid == pid))
    for pin in pins:
        thread, process = pin.poller.thread, seen.processes[pin.poller.thread.pid]
        if any("libnccl" in line for line in thread.evidence):
            yield _NCCL.format(thread.process)
        if len(process.threads) == 1 and pin.rule is not None:
            yield _WHOLE.format(thread.process, format_cpulist(pin.cpus))


def _not_there(node: str, meant: Sequence[Poller], wish: PinWish) -> tuple[LeftThread, ...]:
    """Return the numbers that were named and are none of a thread that wants a core."""
    there = {poller.thread.tid for poller in meant}
    return tuple(
        LeftThread(
            what=f"tid {tid}",
            reason="no such thread was seen to want a core in every window: it sleeps, has ended, or never was",
            hint=f"see which ones do: sparktune place scan --nodes {node}",
        )
        for tid in wish.tids.get(node, ())
        if tid not in there
    )


def _is_right(left: LeftThread) -> bool:
    """Tell whether a thread is left because nothing has to be done with it."""
    return left.fine


def _refusal(left: LeftThread) -> Refusal:
    return Refusal(change=CHANGE, reason=f"{left.what}: {left.reason}", hint=left.hint)
