"""Kernel workers that are bound to no CPU run on the efficiency cores.

Source: Documentation/core-api/workqueue.rst; kernel/workqueue.c (workqueue_set_unbound_cpumask): the mask is of this
boot only, and CPUs that a cpuset partition isolates are taken out of it.
"""

__all__ = ["CHANGE"]

from sparktune.host.changes._shared import cores_unknown
from sparktune.host.conflicts import managed_by_tuned, tuned_reads
from sparktune.host.cpulist import format_cpulist, format_mask
from sparktune.host.facts.workqueue import WORKQUEUE_MASK, WorkqueueFacts
from sparktune.host.placement import cores_of
from sparktune.model.host_plan import (
    ChangePlan,
    CheckStatus,
    HostChange,
    HostCheck,
    HostView,
    PlannedStep,
    TakesEffect,
)
from sparktune.model.node import NodeFacts
from sparktune.model.observed import State
from sparktune.model.profile import Profile
from sparktune.model.reads import Read
from sparktune.model.step import ValueStep

_ID = "workqueue"
_BOUND = "kernel workers that are bound to a CPU (per-CPU workqueues) and other kernel threads stay where they are"


def _reads(facts: NodeFacts, _profile: Profile) -> tuple[Read, ...]:
    return tuned_reads(facts)


def _plan(view: HostView) -> ChangePlan:
    facts = view.facts.get(WorkqueueFacts)
    if facts is None or facts.unbound.value is None:
        why = facts.unbound.why if facts is not None else ""
        return ChangePlan(notes=(f"the CPUs of kernel workers are left: {WORKQUEUE_MASK} {why or 'is not there'}",))
    cores = cores_of(view.facts)
    if cores.value is None:
        return ChangePlan(refusals=(cores_unknown(_ID, cores.why, f"--without {_ID}"),))
    if facts.unbound.value <= cores.value.efficiency:
        return ChangePlan()
    refusals = managed_by_tuned(view, _ID, ("sysfs", WORKQUEUE_MASK))
    text = format_mask(cores.value.efficiency)
    step = PlannedStep(
        change=_ID,
        target=WORKQUEUE_MASK,
        before=format_cpulist(facts.unbound.value),
        after=format_cpulist(cores.value.efficiency),
        takes_effect=TakesEffect.LIVE,
        step=ValueStep(
            path=WORKQUEUE_MASK,
            text=text,
            form="mask",
            reapply=True,
            expect={WORKQUEUE_MASK: facts.text.value},
        ),
    )
    return ChangePlan(steps=() if refusals else (step,), refusals=refusals, notes=(_BOUND,))


def _verify(view: HostView) -> tuple[HostCheck, ...]:
    facts, cores = view.facts.get(WorkqueueFacts), cores_of(view.facts)
    if view.applied_boot is None:
        return ()
    if facts is None or facts.unbound.value is None or cores.value is None:
        there = facts is None or facts.unbound.state is not State.ABSENT
        why = (facts.unbound.why if facts is not None and facts.unbound.value is None else "") or cores.why
        return (_check("", "", CheckStatus.UNREADABLE if there else CheckStatus.ABSENT, why or "no such file"),)
    wanted, now = cores.value.efficiency, facts.unbound.value
    inside = bool(now) and now <= wanted
    why = "" if inside else "something else has set it since, or the node did not set it again after a boot"
    status = CheckStatus.OK if inside else CheckStatus.DIFFERENT
    return (_check(format_cpulist(wanted), format_cpulist(now), status, why),)


def _check(wanted: str, effective: str, status: CheckStatus, why: str) -> HostCheck:
    return HostCheck(change=_ID, target=WORKQUEUE_MASK, wanted=wanted, effective=effective, status=status, why=why)


CHANGE = HostChange(
    id=_ID,
    title="Kernel workers",
    does="keeps kernel workers that are bound to no CPU on the efficiency cores",
    does_not="move per-CPU workers, other kernel threads, or workqueues with a mask of their own",
    effect="none measured",
    source="the kernel's workqueue.rst; the article leaves it out, TuneD's cpu-partitioning has it",
    order=320,
    plan=_plan,
    verify=_verify,
    reads=_reads,
)
