"""Which threads may be moved, and where to: what stands against one is said with what to do instead.

A thread gets the whole set of efficiency cores that its cpuset leaves it, and not one core of these: the scheduler then
keeps it away from a core that something else needs, several pollers do not meet on one, and an interrupt that is bound
to a core has not a spinning neighbour for ever. ``--cpus`` names fewer.
"""

__all__ = ["choose", "fits_wish", "with_rule_for"]

from dataclasses import replace

from sparktune.host.cpulist import CpuSet, format_cpulist, parse_cpulist
from sparktune.host.pinning.cpusets import limit_of, restricting, widen_hint
from sparktune.model.observed import State, present
from sparktune.model.pin import LeftThread, Pin, PinWish, PlaceSeen, ProcessSeen
from sparktune.model.place import Poller, PollerVerdict
from sparktune.model.step import ThreadRuleStep

_AGAIN = "scan again while nothing runs: sparktune place scan"
_AS_ROOT = "pinning needs root: allow sudo without a password there (NOPASSWD in /etc/sudoers.d), or run this as root"
_BY_HAND = "choose the cores by hand: --cpus LIST"


def fits_wish(poller: Poller, wish: PinWish) -> bool:
    """Tell whether a thread is one of those that are meant; without names all are, and those move that may."""
    thread = poller.thread
    if wish.tids:
        return thread.tid in wish.tids.get(poller.node, ())
    return wish.process in {"", thread.process} and wish.thread in {"", thread.name}


def choose(poller: Poller, wish: PinWish, seen: PlaceSeen) -> Pin | LeftThread:
    """Return what is to be done with a thread that is meant, or why it is left. Its rule is not decided yet."""
    process = seen.processes.get(poller.thread.pid)
    if process is None or poller.thread.tid not in process.threads:
        return _left(poller, "it has ended since it was seen", "scan again")
    target = _must_not_move(poller, wish) or _target(poller, wish, seen, process)
    if isinstance(target, LeftThread):
        return target
    now = _mask(poller.thread.allowed)
    if now and now <= target:
        return replace(_left(poller, f"it may use CPUs {poller.thread.allowed} only, which are right"), fine=True)
    if not wish.once and not process.exe.value:
        why = process.exe.why or "it is not told"
        hint = _AS_ROOT if process.exe.state is State.UNREADABLE else "pin it once: --once"
        return _left(poller, f"no rule can be made: which program it runs is not known ({why})", hint)
    rule = None if wish.once else _rule(poller, process, target)
    return Pin(poller=poller, before=poller.thread.allowed, cpus=target, rule=rule)


def _rule(poller: Poller, process: ProcessSeen, cpus: CpuSet) -> ThreadRuleStep:
    return ThreadRuleStep(
        exe=process.exe.value or "",
        process=poller.thread.process,
        thread=poller.thread.name,
        cpus=tuple(sorted(cpus)),
    )


def with_rule_for(pin: Pin, pins: tuple[Pin, ...], process: ProcessSeen) -> Pin:
    """Return a pin whose rule says which threads it is for.

    A name of its own, that only threads which are moved have, names them. The name of the process is that of all
    threads which nobody named, of those that compute, too: there the node has to see which one polls while the others
    rest.
    """
    thread = pin.poller.thread
    if pin.rule is None:
        return pin
    moved = {one.poller.thread.tid for one in pins if one.poller.thread.pid == thread.pid}
    alike = {tid for tid, name in process.threads.items() if name == thread.name}
    if set(process.threads) == {thread.pid}:
        return replace(pin, rule=replace(pin.rule, which="main"))
    own_name = thread.name != thread.process and alike <= moved
    return replace(pin, rule=replace(pin.rule, which="named" if own_name else "busy"))


def _must_not_move(poller: Poller, wish: PinWish) -> LeftThread | None:
    known = poller.known
    if known is not None and (known.computes or not known.placement):
        return _left(poller, f"{known.title} is not moved: {known.why}", poller.fix)
    if poller.verdict is PollerVerdict.UNDER_LOAD:
        return _left(poller, f"{poller.why}: under load it may be the one that works", _AGAIN)
    if poller.verdict is PollerVerdict.LIKELY and not wish.accept_likely:
        hint = f"{poller.fix}; when you know that it polls, name it and add --accept-likely"
        return _left(poller, f"it only likely polls: {poller.why}", hint)
    return None


def _target(poller: Poller, wish: PinWish, seen: PlaceSeen, process: ProcessSeen) -> CpuSet | LeftThread:
    by_hand = frozenset(wish.cpus)
    cores = by_hand or seen.efficiency.value
    if not cores:
        return _left(
            poller, f"there is nowhere to move it to: {seen.efficiency.why or 'no efficiency core is online'}", _BY_HAND
        )
    if by_hand and seen.online and not by_hand <= seen.online:
        away = format_cpulist(by_hand - seen.online)
        return _left(poller, f"CPUs {away} are not online", f"online are {format_cpulist(seen.online)}")
    limit = limit_of(process.groups, seen.online)
    inside = cores & limit if limit else cores
    if inside and not (by_hand and inside != by_hand):
        return inside
    group = restricting(process.groups, cores)
    which = (
        "no efficiency core is" if not by_hand else f"{'not all' if inside else 'none'} of {format_cpulist(by_hand)} is"
    )
    where = f" (of {group.path})" if group is not None else ""
    hint = widen_hint(group, cores) if group is not None else _BY_HAND
    return _left(poller, f"its cpuset{where} leaves it CPUs {format_cpulist(limit)}: {which} among them", hint)


def _mask(text: str) -> CpuSet:
    return present(text).map(parse_cpulist).value or frozenset()


def _left(poller: Poller, reason: str, hint: str = "") -> LeftThread:
    thread = poller.thread
    return LeftThread(what=f"tid {thread.tid} ({thread.name}) of {thread.process}", reason=reason, hint=hint)
