"""A server that others run: a person, or a script of theirs, switches the arm; what is live is always read back.

An arm: ``{"text": "set max_inflight to 2 and restart"}``, ``{"switch": ["./use.sh", "2"], "wait_s": 900}``, or nothing:
then the person is asked for arm A or B by its letter. Without ``live`` nothing could tell whether they did.
"""

__all__ = ["LAUNCHER"]

from collections.abc import Mapping
from typing import Any

from sparktune.deploy.arm_values import number_of, text_of
from sparktune.deploy.launchers._shared import argv_of, live_readers, no_where, only, settings_of
from sparktune.model.arm_action import Action, AskPerson, AwaitAnswer, RunCommand
from sparktune.model.launcher import ArmPlan, ArmSpec, Launcher, Seen

Arms = Mapping[str, Mapping[str, Any]]


def _plan(spec: ArmSpec, _seen: Seen, arm: str) -> ArmPlan:
    readers = live_readers(spec.arms, spec.live, arm)
    if not readers:
        message = "nothing could be verified: say under live how the setting is read back, by http and keys or command"
        raise ValueError(message)
    return ArmPlan(actions=_switch(spec.arms, arm), readers=readers, takes="restart")


def _check(spec: ArmSpec) -> None:
    no_where(spec)
    for arm in spec.arms:
        _plan(spec, {}, arm)


def _original(spec: ArmSpec, _seen: Seen) -> tuple[Action, ...]:
    # Where arm A is run in another way, that one brings it back.
    return _switch(spec.arms, "A") if "A" in spec.arms else ()


def _switch(arms: Arms, arm: str) -> tuple[Action, ...]:
    settings, where = settings_of(arms, arm), f"arm {arm}"
    only(settings, ("switch", "text", "wait_s"), where)
    limit_s = number_of(settings.get("wait_s", 900.0), f"{where}: wait_s")
    waiting = AwaitAnswer(limit_s=limit_s)
    if "switch" in settings:
        if "text" in settings:
            message = f"{where}: either switch, a command, or text, for a person, not both"
            raise ValueError(message)
        argv = argv_of(settings["switch"], f"{where}: switch")
        return (RunCommand(argv=argv, limit_s=limit_s), waiting)
    text = text_of(settings.get("text", ""), f"{where}: text").strip()
    return (AskPerson(text=f"set arm {arm}: {text}" if text else f"set arm {arm}"), waiting)


LAUNCHER = Launcher(id="attach", title="a server that you switch", check=_check, plan=_plan, original=_original)
