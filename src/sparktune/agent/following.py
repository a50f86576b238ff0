"""Rules for threads, done again for threads that came since: which entries of the journal that makes, and which go.

Such an entry is a transaction of its own, ``of`` the one whose rule it is, and is undone with that. It is dropped when
all of its threads have ended, so that a service which is started again and again leaves no more than its last one.
"""

__all__ = ["LABEL", "crashed", "spent", "steps_to_follow"]

from collections.abc import Mapping
from typing import Any

from sparktune.agent.failures import StepFailed
from sparktune.agent.kind import Kind
from sparktune.agent.machine import Machine
from sparktune.agent.past import Past

LABEL = "follow"


def crashed(pasts: list[Past]) -> list[Past]:
    """Return the entries that did not come to their end; what others left open is not for a timer to undo."""
    return [past for past in pasts if _is_entry(past) and past.state == "open" and not past.damage]


def steps_to_follow(pasts: list[Past], found: list[dict[str, Any]], boot_id: str) -> list[dict[str, Any]]:
    """Return transactions, each of one that still is applied, for threads that no journal knows by now.

    ``found`` has ``{"of": TRANSACTION, "step": I, "items": [ITEM, ...]}``, the most recent rule first: it counts.
    """
    applied = {past.id: past for past in pasts if past.state == "committed" and not past.again and not past.damage}
    known = {item for past in pasts if _counts(past, boot_id) for step in past.steps.values() for item in step.before}
    steps: dict[str, list[dict[str, Any]]] = {}
    for one in found:
        source = applied.get(str(one["of"]))
        items = [item for item in one["items"] if item not in known]
        if source is None or not items:
            continue
        known.update(items)
        step = source.begin["steps"][one["step"]]
        steps.setdefault(source.id, []).append({**step, "expect": {}, "only": items})
    return [{"label": LABEL, "of": source, "steps": asked} for source, asked in steps.items()]


def spent(pasts: list[Past], kinds: Mapping[str, Kind], machine: Machine, boot_id: str) -> list[str]:
    """Return the entries whose threads have all ended, with their boot or one by one."""
    entries = [past for past in pasts if _is_entry(past) and past.state == "committed" and not past.damage]
    return [past.id for past in entries if past.begin.get("boot_id") != boot_id or _has_ended(past, kinds, machine)]


def _has_ended(past: Past, kinds: Mapping[str, Kind], machine: Machine) -> bool:
    for step in past.steps.values():
        kind = kinds.get(str(step.step.get("kind")))
        try:
            if kind is None or any(kind.look_at(machine, step.step, step.before).values()):
                return False
        except (StepFailed, OSError):
            return False
    return True


def _is_entry(past: Past) -> bool:
    return past.again and past.begin.get("label") == LABEL


def _counts(past: Past, boot_id: str) -> bool:
    return not past.over and past.begin.get("boot_id") == boot_id
