"""A server per arm: a command is started, awaited, measured and stopped; nothing runs before and nothing after.

An arm: ``{"command": ["llama-server", "--parallel", "4"], "env": {"NAME": "value"}, "folder": "...", "wait_s": 900}``.
What is live is read from the kernel's own record of the process, and from whatever ``live`` names.
"""

__all__ = ["LAUNCHER"]


from sparktune.deploy.arm_values import number_of, text_of
from sparktune.deploy.launchers._shared import argv_of, environment_of, live_readers, no_where, only, settings_of
from sparktune.model.arm_action import Action, AwaitAnswer, StartProcess
from sparktune.model.launcher import ArmPlan, ArmSpec, Launcher, LiveProcess, Seen


def _plan(spec: ArmSpec, _seen: Seen, arm: str) -> ArmPlan:
    settings, where = settings_of(spec.arms, arm), f"arm {arm}"
    only(settings, ("command", "env", "folder", "wait_s"), where)
    argv = argv_of(settings.get("command"), f"{where}: command")
    environment = environment_of(settings.get("env"), f"{where}: env")
    folder = text_of(settings.get("folder", ""), f"{where}: folder")
    waiting = AwaitAnswer()
    if "wait_s" in settings:
        waiting = AwaitAnswer(limit_s=number_of(settings["wait_s"], f"{where}: wait_s"))
    return ArmPlan(
        actions=(StartProcess(argv=argv, environment=environment, folder=folder), waiting),
        readers=(LiveProcess(argv=argv, environment=environment), *live_readers(spec.arms, spec.live, arm)),
        takes="restart",
    )


def _check(spec: ArmSpec) -> None:
    no_where(spec)
    for arm in spec.arms:
        _plan(spec, {}, arm)


def _original(_spec: ArmSpec, _seen: Seen) -> tuple[Action, ...]:
    return ()  # its address was free before, and is again when the process has been stopped


LAUNCHER = Launcher(id="command", title="a command per arm", check=_check, plan=_plan, original=_original)
