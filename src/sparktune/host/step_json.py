"""Steps as JSON has them, for a node's agent and for a saved plan, and the hash that names a plan."""

__all__ = ["KINDS", "encode_step", "encode_steps", "plan_hash"]

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from sparktune.model.host_plan import NodePlan
from sparktune.model.step import (
    AffinityStep,
    ContainerStep,
    FileStep,
    IrqStep,
    IsolateStep,
    LinkStep,
    PropertyStep,
    ReloadStep,
    ServiceStep,
    Step,
    ThreadRuleStep,
    ValueStep,
)

KINDS: Final[Mapping[str, type[Step]]] = {
    "file": FileStep,
    "link": LinkStep,
    "value": ValueStep,
    "irq": IrqStep,
    "affinity": AffinityStep,
    "property": PropertyStep,
    "reload": ReloadStep,
    "service": ServiceStep,
    "isolate": IsolateStep,
    "container": ContainerStep,
    "threads": ThreadRuleStep,
}
_NAMES: Final = {kind: name for name, kind in KINDS.items()}


def encode_step(step: Step, change: str) -> dict[str, Any]:
    """Return a step as the agent takes it: its kind, the change that it belongs to, and its fields."""
    return {"kind": _NAMES[type(step)], "change": change, **asdict(step)}


def encode_steps(plan: NodePlan) -> list[dict[str, Any]]:
    """Return the steps of a plan in their order."""
    return [encode_step(planned.step, planned.change) for planned in plan.steps]


def plan_hash(plan: NodePlan) -> str:
    """Return the SHA-256 of what would be done, and in which boot; two plans that do the same have the same one."""
    content = {"boot_id": plan.boot_id, "steps": encode_steps(plan)}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
