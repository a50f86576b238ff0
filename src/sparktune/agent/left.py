"""What undoing did not bring back: edits of others, which it left, what is gone, and what could not be put back."""

__all__ = ["left_of", "open_items"]

from collections.abc import Mapping
from typing import Any

from sparktune.agent.kind import Kind
from sparktune.agent.past import Past, PastStep
from sparktune.agent.show import shown

_LEFT = ("foreign", "gone")
_ENDED = ("incomplete", "given_up")  # of other states nobody has said that something cannot be put back
_UNKNOWN = "what this agent does not know"


def open_items(past: Past) -> set[str]:
    """Return the items that are still to be put back."""
    return {item for step in past.steps.values() for item in _open(step)}


def left_of(past: Past, kinds: Mapping[str, Kind]) -> list[dict[str, Any]]:
    """Return the items with the fields of ``sparktune.model.transaction.LeftItem``, the last step first."""
    return [one for number in sorted(past.steps, reverse=True) for one in _of_step(past, past.steps[number], kinds)]


def _of_step(past: Past, step: PastStep, kinds: Mapping[str, Kind]) -> list[dict[str, Any]]:
    name = str(step.step.get("kind"))
    kind = kinds.get(name)
    results = {item: said for item, said in step.settled.items() if said["outcome"] in _LEFT}
    if past.state in _ENDED:
        results |= {item: {**step.failed.get(item, {}), "outcome": "failed"} for item in _open(step)}
    return [
        {
            "change": str(step.step.get("change", "")),
            "kind": name,
            "item": item,
            "outcome": said["outcome"],
            "why": str(said.get("why") or ""),
            "before": _UNKNOWN if kind is None else shown(kind, step.before.get(item)),
            "found": said.get("found"),
        }
        for item, said in results.items()
    ]


def _open(step: PastStep) -> list[str]:
    return [item for item in step.before if item not in step.settled and step.touched(item)]
