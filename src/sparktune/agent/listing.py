"""The journal for people: every transaction with its items, what was there first and what was left."""

__all__ = ["listed"]

from collections.abc import Mapping
from typing import Any

from sparktune.agent.kind import Kind
from sparktune.agent.left import left_of
from sparktune.agent.past import Past, PastStep
from sparktune.agent.show import shown

_WHICH = ("named", "main", "busy")


def listed(past: Past, kinds: Mapping[str, Kind]) -> dict[str, Any]:
    """Return a transaction with the fields of ``sparktune.model.transaction.Transaction``."""
    begin = past.begin
    return {
        "id": past.id,
        "label": begin.get("label", ""),
        "state": "incomplete" if past.damage else past.state,
        "boot_id": begin.get("boot_id", ""),
        "began_ns": begin.get("at", 0),
        "ended_ns": past.ended_ns,
        "confirm_by_ns": begin.get("confirm_by_ns", 0) if past.state == "unconfirmed" else 0,
        "who": begin.get("who", ""),
        "plan": begin.get("plan", ""),
        "profile": begin.get("profile") or {},
        "entries": [entry for number in sorted(past.steps) for entry in _entries(past.steps[number], kinds)],
        "left": left_of(past, kinds),
        "rules": [] if past.again else [rule for step in begin.get("steps", ()) for rule in _rules(step)],
    }


def _rules(step: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a step that places threads by what they are, without what was seen when it was planned; else nothing."""
    if step.get("kind") != "threads" or step.get("which") not in _WHICH:
        return []
    texts = {key: str(step.get(key, "")) for key in ("exe", "process", "thread")}
    cpus = [cpu for cpu in step.get("cpus") or () if isinstance(cpu, int)]
    return [{**texts, "cpus": cpus, "which": step["which"], "reapply": bool(step.get("reapply"))}]


def _entries(step: PastStep, kinds: Mapping[str, Kind]) -> list[dict[str, Any]]:
    name = str(step.step.get("kind"))
    kind = kinds.get(name)
    after = step.after or {}
    return [
        {
            "change": str(step.step.get("change", "")),
            "kind": name,
            "item": item,
            "before": None if kind is None else shown(kind, before),
            "after": None if kind is None else shown(kind, after.get(item)),
        }
        for item, before in step.before.items()
        if step.touched(item)
    ]
