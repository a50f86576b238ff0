"""A setting of the machines that counts at their next boot: files and links are changed, and the machine is booted.

Arm B: ``{"steps": [{"node": "spark1", "kind": "file", "path": "/etc/systemd/system.conf.d/50-cores.conf", "text":
"..."}], "wait_s": 900}`` with the fields of ``model/step.py``; arm A ``{}``: the machines as they are. Kinds: file and
link. Both arms boot before each visit, so that neither is measured on an older boot; the server has to come up by
itself. A file says what will be so, not what is: ``live`` names how the running system is asked.
"""

__all__ = ["LAUNCHER"]

from typing import Final

from sparktune.deploy.arm_steps import ArmSteps, besides, nodes_of
from sparktune.deploy.arm_values import number_of
from sparktune.deploy.launchers._shared import live_readers, no_where
from sparktune.model.arm_action import Action, Apply, AwaitAnswer, Reboot, Undo
from sparktune.model.launcher import ArmPlan, ArmSpec, Launcher, LiveSteps, Seen
from sparktune.model.step import FileStep, LinkStep
from sparktune.units import Seconds

_AT_BOOT: Final = ArmSteps(
    kinds={"file": FileStep, "link": LinkStep}, other="does not count at a boot", besides=("wait_s",)
)
_WAIT_S: Final[Seconds] = 900.0


def _plan(spec: ArmSpec, _seen: Seen, arm: str) -> ArmPlan:
    every = _AT_BOOT.all_of(spec.arms)
    told = live_readers(spec.arms, spec.live, arm)
    if not told:
        message = "a file says what the next boot will do: say under live how the running system is asked, by command"
        raise ValueError(message)
    own, nodes = every[arm], nodes_of(every.values())
    readers = [LiveSteps(node=node, steps=wanted) for node, wanted in own.items()]
    for name in sorted(every):
        rest = {node: besides(others, own.get(node, ())) for node, others in every[name].items() if name != arm}
        readers += [LiveSteps(node=node, steps=others, undone=True) for node, others in rest.items() if others]
    actions: list[Action] = [Undo(node=node) for node in nodes]
    actions += [Apply(node=node, steps=wanted) for node, wanted in own.items()]
    actions += _booted(nodes, _wait_s(spec, arm))
    return ArmPlan(actions=tuple(actions), readers=(*readers, *told), takes="reboot")


def _booted(nodes: tuple[str, ...], wait_s: Seconds) -> tuple[Action, ...]:
    """Boot every node, this machine last: nothing goes on there after that."""
    others_first = sorted(nodes, key=lambda node: not node)
    return (*(Reboot(node=node, limit_s=wait_s) for node in others_first), AwaitAnswer(limit_s=wait_s))


def _wait_s(spec: ArmSpec, arm: str) -> Seconds:
    return number_of(spec.arms.get(arm, {}).get("wait_s", _WAIT_S), f"arm {arm}: wait_s")


def _check(spec: ArmSpec) -> None:
    no_where(spec)
    for arm in spec.arms:
        _plan(spec, {}, arm)


def _original(spec: ArmSpec, _seen: Seen) -> tuple[Action, ...]:
    nodes = _AT_BOOT.nodes(spec)
    return (*(Undo(node=node) for node in nodes), *_booted(nodes, _wait_s(spec, "A")))


LAUNCHER = Launcher(
    id="boot",
    title="a setting of the machine that counts at its next boot",
    check=_check,
    plan=_plan,
    original=_original,
    reads=_AT_BOOT.reads,
)
