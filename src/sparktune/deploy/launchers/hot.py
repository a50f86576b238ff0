"""A setting of the machines that counts at once: a transaction of a node's agent is applied and undone, no restart.

Arm B: ``{"steps": [{"node": "", "kind": "value", "path": "/proc/sys/vm/swappiness", "text": "1"}, ...]}`` with the
fields of ``model/step.py``; arm A ``{}``: the machines as they are. Kinds: value, irq, affinity, property (of a unit),
container. A node that boots in between comes up as it was: nothing is applied again by itself.
"""

__all__ = ["LAUNCHER"]

from typing import Final

from sparktune.deploy.arm_steps import ArmSteps, besides, nodes_of
from sparktune.deploy.launchers._shared import live_readers, no_where
from sparktune.model.arm_action import Action, Apply, Undo
from sparktune.model.launcher import ArmPlan, ArmSpec, Launcher, LiveSteps, Seen
from sparktune.model.step import AffinityStep, ContainerStep, IrqStep, PropertyStep, ValueStep

_HOT: Final = ArmSteps(
    kinds={
        "value": ValueStep,
        "irq": IrqStep,
        "affinity": AffinityStep,
        "property": PropertyStep,
        "container": ContainerStep,
    },
    other="does not count at once",
)


def _plan(spec: ArmSpec, _seen: Seen, arm: str) -> ArmPlan:
    every = _HOT.all_of(spec.arms)
    own = every[arm] if arm in every else _HOT.of(spec.arms, arm)
    actions: list[Action] = [Undo(node=node) for node in nodes_of(every.values())]
    actions += [Apply(node=node, steps=steps) for node, steps in own.items()]
    readers = [LiveSteps(node=node, steps=steps) for node, steps in own.items()]
    for name in sorted(every):
        # What the other arm changes and this one does not is to be as it was.
        rest = {node: besides(steps, own.get(node, ())) for node, steps in every[name].items() if name != arm}
        readers += [LiveSteps(node=node, steps=steps, undone=True) for node, steps in rest.items() if steps]
    return ArmPlan(actions=tuple(actions), readers=(*readers, *live_readers(spec.arms, spec.live, arm)), takes="live")


def _check(spec: ArmSpec) -> None:
    no_where(spec)
    for arm in spec.arms:
        _plan(spec, {}, arm)


def _original(spec: ArmSpec, _seen: Seen) -> tuple[Action, ...]:
    return tuple(Undo(node=node) for node in _HOT.nodes(spec))


LAUNCHER = Launcher(
    id="hot",
    title="a setting of the machine that needs no restart",
    check=_check,
    plan=_plan,
    original=_original,
    reads=_HOT.reads,
)
