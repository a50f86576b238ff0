"""One file per change to a machine; each exports ``CHANGE``."""

__all__ = ["all_changes", "change_reads", "plan_node", "verify_node"]

import sys
from collections.abc import Iterable
from functools import cache

from sparktune.model.host_plan import ChangePlan, HostChange, HostCheck, HostView, NodePlan
from sparktune.model.node import NodeFacts
from sparktune.model.profile import Profile
from sparktune.model.reads import Read
from sparktune.plugins import load_plugins


@cache
def all_changes() -> tuple[HostChange, ...]:
    """Return every change, in the order in which a plan has them."""
    found = load_plugins(sys.modules[__name__], "CHANGE", HostChange)
    return tuple(sorted(found, key=lambda change: (change.order, change.id)))


def change_reads(facts: NodeFacts, profile: Profile) -> tuple[Read, ...]:
    """Return what the changes of a profile want to know beside the facts, each once."""
    return tuple(dict.fromkeys(read for change in _wanted(profile) for read in change.reads(facts, profile)))


def plan_node(view: HostView) -> NodePlan:
    """Return what has to be done on a node so that it is as the profile says; no steps when it is."""
    plans = [change.plan(view) for change in _wanted(view.profile)]
    return NodePlan(
        node=view.facts.node,
        boot_id=view.boot_id,
        profile=view.profile,
        steps=tuple(step for plan in plans for step in plan.steps),
        refusals=tuple(refusal for plan in plans for refusal in plan.refusals),
        notes=_notes(plans),
    )


def verify_node(view: HostView) -> tuple[HostCheck, ...]:
    """Return every state that the profile wants, beside the effective one."""
    return tuple(check for change in _wanted(view.profile) for check in change.verify(view))


def _wanted(profile: Profile) -> tuple[HostChange, ...]:
    return tuple(change for change in all_changes() if change.id not in profile.without)


def _notes(plans: Iterable[ChangePlan]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for plan in plans for note in plan.notes))
