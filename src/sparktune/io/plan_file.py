"""Plans in a file, to be carried out later exactly as they were shown.

JSON: ``{"schema": 1, "sparktune": VERSION, "plans": [{"node", "boot_id", "profile", "steps", "refusals", "notes",
"hash"}, ...]}``; a step is ``{"change", "target", "before", "after", "takes_effect", "diff", "cuts_off", "step"}``, and
its ``step`` what the node's agent gets. The hash is that of what would be done: a file whose steps were edited is
refused, since nobody has been shown what it would do.
"""

__all__ = ["load_plans", "save_plans"]

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from sparktune import __version__
from sparktune.errors import UsageError
from sparktune.host.step_json import KINDS, encode_step, plan_hash
from sparktune.io.files import write_atomic
from sparktune.io.named_file import open_named
from sparktune.model.host_plan import NodePlan, PlannedStep, Refusal, TakesEffect
from sparktune.model.profile import Profile
from sparktune.model.step import Step

_SCHEMA: Final = 1
_MOST_BYTES: Final = 64 * 1024 * 1024
_HINT: Final = "make it again: sparktune host plan --save FILE"


class _Planned(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    change: str
    target: str
    before: str
    after: str
    takes_effect: TakesEffect
    step: dict[str, Any]
    diff: str = ""
    cuts_off: bool = False


class _Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    node: str
    boot_id: str
    profile: dict[str, Any]
    steps: tuple[_Planned, ...]
    refusals: tuple[Refusal, ...]
    notes: tuple[str, ...]
    hash: str


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    schema: Literal[1]
    sparktune: str
    plans: tuple[_Plan, ...]


def save_plans(path: Path, plans: Sequence[NodePlan]) -> None:
    """Write plans, the same bytes for the same plans. Raises UsageError when the file cannot be written.

    It is for its owner alone: steps have whole compose files in them, and those may have passwords.
    """
    content = {
        "schema": _SCHEMA,
        "sparktune": __version__,
        "plans": [_plan_json(plan) for plan in plans],
    }
    write_atomic(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n", private=True)


def load_plans(path: Path) -> Mapping[str, NodePlan]:
    """Return the plans of a file by the names of their nodes. Raises UsageError for what is no such file."""
    try:
        with open_named(path) as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror or error}"
        raise UsageError(message, hint=_HINT) from None
    if len(data) > _MOST_BYTES:
        message = f"{path} is larger than {_MOST_BYTES} bytes"
        raise UsageError(message, hint=_HINT)
    try:
        saved = msgspec.json.decode(data, type=_File)
        plans = [_plan_of(plan) for plan in saved.plans]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        message = f"{path} is no file of plans that this version understands: {error}"
        raise UsageError(message, hint=_HINT) from None
    if not plans:
        message = f"{path} has no plans"
        raise UsageError(message, hint=_HINT)
    by_node = {plan.node: plan for plan in plans}
    if len(by_node) < len(plans):
        message = f"{path} has two plans for one node"
        raise UsageError(message, hint=_HINT)
    return by_node


def _plan_json(plan: NodePlan) -> dict[str, Any]:
    return {
        "node": plan.node,
        "boot_id": plan.boot_id,
        "profile": msgspec.to_builtins(plan.profile),
        "steps": [_step_json(planned) for planned in plan.steps],
        "refusals": [msgspec.to_builtins(refusal) for refusal in plan.refusals],
        "notes": list(plan.notes),
        "hash": plan_hash(plan),
    }


def _step_json(planned: PlannedStep) -> dict[str, Any]:
    return {
        "change": planned.change,
        "target": planned.target,
        "before": planned.before,
        "after": planned.after,
        "takes_effect": planned.takes_effect.value,
        "diff": planned.diff,
        "cuts_off": planned.cuts_off,
        "step": encode_step(planned.step, planned.change),
    }


def _plan_of(saved: _Plan) -> NodePlan:
    plan = NodePlan(
        node=saved.node,
        boot_id=saved.boot_id,
        profile=_exactly(saved.profile, Profile),
        steps=tuple(_planned_of(planned) for planned in saved.steps),
        refusals=saved.refusals,
        notes=saved.notes,
    )
    if plan_hash(plan) != saved.hash:
        message = f"the steps for {saved.node} are not those that were saved"
        raise ValueError(message)
    return plan


def _planned_of(saved: _Planned) -> PlannedStep:
    return PlannedStep(
        change=saved.change,
        target=saved.target,
        before=saved.before,
        after=saved.after,
        takes_effect=saved.takes_effect,
        step=_step_of(saved.step, saved.change),
        diff=saved.diff,
        cuts_off=saved.cuts_off,
    )


def _step_of(saved: Mapping[str, Any], change: str) -> Step:
    content = dict(saved)
    kind, of = content.pop("kind", None), content.pop("change", None)
    if kind not in KINDS or of != change:
        message = f"a step of {change} is {kind!r} of {of!r}"
        raise ValueError(message)
    step: Step = _exactly(content, KINDS[kind])
    return step


def _exactly(content: Mapping[str, Any], kind: type[Any]) -> Any:  # noqa: ANN401 - an object of the kind
    """Decode a dataclass that has these fields and no others: msgspec passes over those that it does not know."""
    unknown = content.keys() - {field.name for field in fields(kind)}
    if unknown:
        message = f"there is no field {min(unknown)!r}"
        raise ValueError(message)
    return msgspec.convert(dict(content), kind)
