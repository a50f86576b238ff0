"""irqbalance, where it runs, keeps off the performance cores; otherwise it would move interrupts back every 10 s.

Sources: irqbalance(1) and its cputree.c; how its settings are read is in ``host/banned_cpus.py``.
"""

__all__ = ["CHANGE"]

from sparktune.formats.systemd_env import variable
from sparktune.host.banned_cpus import (
    BANNED_LIST,
    BANNED_MASK,
    DAEMON_READS,
    SETTINGS,
    asked,
    in_force,
    running,
    with_banned,
)
from sparktune.host.changes._shared import diff_of
from sparktune.host.checks import checks_of
from sparktune.host.conflicts import managed_by_tuned, tuned_reads
from sparktune.host.cpulist import CpuSet, format_cpulist
from sparktune.host.facts.interrupts import InterruptFacts
from sparktune.host.facts.irq_services import IrqServicesFacts
from sparktune.host.irq_targets import targets_of
from sparktune.host.placement import Cores, cores_of
from sparktune.model.host_plan import (
    ChangePlan,
    CheckStatus,
    HostChange,
    HostCheck,
    HostView,
    PlannedStep,
    Refusal,
    TakesEffect,
)
from sparktune.model.node import NodeFacts
from sparktune.model.observed import State, present
from sparktune.model.profile import IrqPolicy, Profile
from sparktune.model.reads import Read
from sparktune.model.step import FileStep, ServiceStep
from sparktune.units import count_of

_ID = "irqbalance"
_check = checks_of(_ID)
_UNIT = "irqbalance.service"
_STOP_IT = "sudo systemctl disable --now irqbalance, or --irq efficiency, which irqbalance can be told to respect"
_LOOK = f"look into {SETTINGS}, or stop irqbalance and leave this out with --without {_ID}"
_ALL = "irqbalance then keeps all interrupts that it may move off the performance cores, those of other devices too"
_NOT_KNOWN = "whether irqbalance is active is not known: it would move interrupts back every 10 s"
_LATER = "irqbalance does not run now but starts at the next boot, and would move interrupts then"
_NOT_RESTARTED = "the running irqbalance was started with other settings than its file has"
_NOT_SEEN = "by its file; with what the running one was started cannot be seen"


def _reads(facts: NodeFacts, profile: Profile) -> tuple[Read, ...]:
    if profile.irq is IrqPolicy.LEAVE or _state(facts) != "active":
        return ()
    return (*DAEMON_READS, *tuned_reads(facts))


def _state(facts: NodeFacts) -> str:
    """Return irqbalance's state in systemd's words; empty where it is not installed."""
    services = facts.get(IrqServicesFacts)
    daemon = services.service("irqbalance") if services is not None else None
    return "" if daemon is None else daemon.active


def _plan(view: HostView) -> ChangePlan:
    if view.profile.irq is IrqPolicy.LEAVE:
        return ChangePlan()
    if _state(view.facts) != "active":
        return ChangePlan(notes=_inactive(view.facts))
    vectors = _vectors(view)
    if not vectors:
        return ChangePlan(notes=("irqbalance is active and left alone: the profile moves no interrupts here",))
    if view.profile.irq is IrqPolicy.SPREAD:
        moved = f"it would move the {count_of(vectors, 'vector')} again, away from the one core that each should have"
        return _refused(f"irqbalance is active: every 10 s {moved}", _STOP_IT)
    cores = cores_of(view.facts)
    refusals = managed_by_tuned(view, _ID, ("irqbalance", "banned_cpus"))
    if refusals or cores.value is None:  # irq-affinity says why there is nowhere to move to
        return ChangePlan(refusals=refusals)
    return _kept_off(view, cores.value)


def _inactive(facts: NodeFacts) -> tuple[str, ...]:
    services = facts.get(IrqServicesFacts)
    if services is None or services.services.value is None:
        return (_NOT_KNOWN,)
    daemon = services.service("irqbalance")
    return (_LATER,) if daemon is not None and daemon.enabled == "enabled" else ()


def _vectors(view: HostView) -> int:
    targets = targets_of(view.facts.get(InterruptFacts), view.profile).value
    return sum(len(device.vectors) for device in targets.devices) if targets else 0


def _refused(reason: str, hint: str = _LOOK) -> ChangePlan:
    return ChangePlan(refusals=(Refusal(change=_ID, reason=reason, hint=hint),))


def _kept_off(view: HostView, cores: Cores) -> ChangePlan:
    text = view.readings.file(SETTINGS)
    if text.state is State.UNREADABLE:
        return _refused(f"{SETTINGS} cannot be read: {text.why}")
    before = text.value
    named = present(before or "").map(lambda now: (asked(now, view.facts), in_force(now, view.facts)))
    if named.value is None:
        return _refused(f"{SETTINGS} is not understood: {named.why}")
    now, effective = named.value
    if cores.performance <= effective:
        started = running(view.readings, view.facts).value
        return ChangePlan() if started is None or cores.performance <= started else ChangePlan(steps=(_restart(),))
    if variable(before or "", BANNED_MASK):
        return _refused(
            f"{SETTINGS} sets {BANNED_MASK}, which wins over {BANNED_LIST}", f"move its CPUs to {BANNED_LIST}"
        )
    wanted = now | cores.performance
    if cores.efficiency <= wanted:
        return _refused(f"{SETTINGS} keeps irqbalance off every efficiency core ({format_cpulist(now)})")
    return ChangePlan(steps=(_edit(before, effective, wanted), _restart()), notes=(_ALL,))


def _edit(before: str | None, now: CpuSet, wanted: CpuSet) -> PlannedStep:
    text = with_banned(before or "", wanted)
    return PlannedStep(
        change=_ID,
        target=f"{SETTINGS}: {BANNED_LIST}",
        before=f"keeps off {format_cpulist(now) or 'no CPU'}",
        after=f"keeps off {format_cpulist(wanted)}",
        takes_effect=TakesEffect.RESTART,
        step=FileStep(path=SETTINGS, text=text, expect={SETTINGS: before}),
        diff=diff_of(SETTINGS, before, text),
    )


def _restart() -> PlannedStep:
    return PlannedStep(
        change=_ID,
        target=_UNIT,
        before="runs with its former settings",
        after="restarted",
        takes_effect=TakesEffect.LIVE,
        step=ServiceStep(unit=_UNIT, do="restart"),
    )


def _verify(view: HostView) -> tuple[HostCheck, ...]:
    if view.profile.irq is IrqPolicy.LEAVE or view.applied_boot is None or _state(view.facts) != "active":
        return ()
    if not _vectors(view):
        return ()
    if view.profile.irq is IrqPolicy.SPREAD:
        return (_check(_UNIT, "not active", "active", CheckStatus.DIFFERENT, "it moves interrupts every 10 s"),)
    cores = cores_of(view.facts)
    if cores.value is None:
        return (_check(_UNIT, "keeps off the performance cores", "", CheckStatus.UNREADABLE, cores.why),)
    return (_kept(view, cores.value.performance),)


def _kept(view: HostView, wanted: CpuSet) -> HostCheck:
    """Judge the settings with which irqbalance runs, and the file where those cannot be seen."""
    file = view.readings.file(SETTINGS)
    if file.state is State.ABSENT:
        file = present("")
    filed = file.map(lambda text: in_force(text, view.facts))
    started = running(view.readings, view.facts)
    seen = filed if started.value is None else started
    words = f"keeps off {format_cpulist(wanted)}"
    if seen.value is None:
        return _check(_UNIT, words, "", CheckStatus.UNREADABLE, seen.why)
    found = f"keeps off {format_cpulist(seen.value) or 'no CPU'}"
    if wanted <= seen.value:
        return _check(_UNIT, words, found, CheckStatus.OK, _NOT_SEEN if started.value is None else "")
    stale = filed.value is not None and wanted <= filed.value
    return _check(_UNIT, words, found, CheckStatus.DIFFERENT, _NOT_RESTARTED if stale else f"{SETTINGS} says so")


CHANGE = HostChange(
    id=_ID,
    title="irqbalance and the performance cores",
    does=f"adds the performance cores to {BANNED_LIST} in {SETTINGS} and restarts irqbalance, where it runs",
    does_not="install, start or stop irqbalance, or change another setting of it",
    effect="none measured; it keeps irqbalance from undoing irq-affinity",
    source="irqbalance(1), and setup_banned_cpus of irqbalance 1.9",
    order=250,
    plan=_plan,
    verify=_verify,
    reads=_reads,
)
