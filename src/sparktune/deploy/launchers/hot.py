"""A setting of the machines that counts at once: a transaction of a node's agent is applied and undone, no restart.

Arm B: ``{"steps": [{"node": "", "kind": "value", "path": "/proc/sys/vm/swappiness", "text": "1"}, ...]}`` with the
fields of ``model/step.py``; arm A ``{}``: the machines as they are. Kinds: value, irq, affinity, property (of a unit),
container. A node that boots in between comes up as it was: nothing is applied again by itself.
"""

__all__ = ["LAUNCHER"]

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, Final

import msgspec

from sparktune.deploy.launchers._shared import live_readers, only, settings_of
from sparktune.model.launcher import Action, Apply, ArmPlan, ArmSpec, Launcher, LiveSteps, Seen, Undo
from sparktune.model.reads import Read
from sparktune.model.step import AffinityStep, ContainerStep, IrqStep, PropertyStep, ValueStep

Arms = Mapping[str, Mapping[str, Any]]
_Hot = ValueStep | IrqStep | AffinityStep | PropertyStep | ContainerStep

_KINDS: Final[Mapping[str, type[_Hot]]] = {
    "value": ValueStep,
    "irq": IrqStep,
    "affinity": AffinityStep,
    "property": PropertyStep,
    "container": ContainerStep,
}


def _plan(spec: ArmSpec, _seen: Seen, arm: str) -> ArmPlan:
    arms = spec.arms
    own = _steps(arms, arm)
    every = {name: _steps(arms, name) for name in arms}
    if not any(every.values()):
        message = "neither arm has steps: there is nothing to change, and nothing to read back"
        raise ValueError(message)
    nodes = _nodes(every.values())
    actions: list[Action] = [Undo(node=node) for node in nodes]
    actions += [Apply(node=node, steps=steps) for node, steps in own.items()]
    readers = [LiveSteps(node=node, steps=steps) for node, steps in own.items()]
    for name in sorted(every):
        # What the other arm changes and this one does not is to be as it was.
        rest = {node: _besides(steps, own.get(node, ())) for node, steps in every[name].items() if name != arm}
        readers += [LiveSteps(node=node, steps=steps, undone=True) for node, steps in rest.items() if steps]
    return ArmPlan(actions=tuple(actions), readers=(*readers, *live_readers(arms, spec.live, arm)), takes="live")


def _check(spec: ArmSpec) -> None:
    for arm in spec.arms:
        _plan(spec, {}, arm)


def _reads(spec: ArmSpec, _seen: Seen) -> Mapping[str, tuple[Read, ...]]:
    """Return the nodes; what is there is read with the steps."""
    return dict.fromkeys(_nodes(_steps(spec.arms, name) for name in spec.arms), ())


def _original(spec: ArmSpec, _seen: Seen) -> tuple[Action, ...]:
    return tuple(Undo(node=node) for node in _nodes(_steps(spec.arms, name) for name in spec.arms))


def _nodes(steps: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(node for by_node in steps for node in by_node))


def _steps(arms: Arms, arm: str) -> dict[str, tuple[_Hot, ...]]:
    """Return an arm's steps by node, in their order."""
    settings = settings_of(arms, arm)
    only(settings, ("steps",), f"arm {arm}")
    given = settings.get("steps", ())
    if not isinstance(given, list | tuple):
        message = f"arm {arm}: steps is a list of steps, not {given!r}"
        raise ValueError(message)  # noqa: TRY004 - the launcher's contract
    found: dict[str, tuple[_Hot, ...]] = {}
    for place, entry in enumerate(given, start=1):
        node, step = _step(entry, f"arm {arm}: step {place}")
        found[node] = (*found.get(node, ()), step)
    return found


def _step(entry: object, where: str) -> tuple[str, _Hot]:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("kind"), str):
        message = f"{where}: a step has a kind: {', '.join(_KINDS)}; this is {entry!r}"
        raise ValueError(message)  # noqa: TRY004 - the launcher's contract
    kind, node = entry["kind"], entry.get("node", "")
    if kind not in _KINDS:
        message = f"{where}: {kind!r} does not count at once, or is no kind of step; known are: {', '.join(_KINDS)}"
        raise ValueError(message)
    if not isinstance(node, str):
        message = f"{where}: node is a name, not {node!r}"
        raise ValueError(message)  # noqa: TRY004 - the launcher's contract
    content = {key: value for key, value in entry.items() if key not in {"kind", "node"}}
    only(content, tuple(field.name for field in fields(_KINDS[kind]) if field.name not in {"expect", "reapply"}), where)
    try:
        step = msgspec.convert(content, _KINDS[kind])
    except msgspec.ValidationError as error:
        message = f"{where}: {error}"
        raise ValueError(message) from None
    return node, replace(step, reapply=False) if isinstance(step, IrqStep) else step


def _besides(steps: tuple[_Hot, ...], own: tuple[_Hot, ...]) -> tuple[_Hot, ...]:
    """Return the steps that touch something which this arm leaves alone."""
    touched = {_target(step) for step in own}
    return tuple(step for step in steps if _target(step) not in touched)


def _target(step: _Hot) -> object:
    match step:
        case ValueStep():
            return step.path
        case IrqStep():
            return step.devices
        case AffinityStep():
            return step.tasks
        case PropertyStep():
            return (step.unit, step.name)
        case ContainerStep():
            return step.container


LAUNCHER = Launcher(
    id="hot",
    title="a setting of the machine that needs no restart",
    check=_check,
    plan=_plan,
    original=_original,
    reads=_reads,
)
