"""A recipe run by sparkrun: an arm is its command line, and the recipe's text where no option can say it.

An arm: ``{options: {max_num_seqs: 8}, env: {NAME: value}, flags: {--max-num-seqs: 8}, executor_args: "--cpuset-cpus
5-9"}``. ``where``: ``{node: spark1, recipe: /srv/recipes/r.yaml, cluster: mylab, nodes: [spark2]}``; ``node`` is where
sparkrun is run and the first rank runs, ``nodes`` where the others do.

sparkrun records ``executor_args`` nowhere: what runs is brought back by the words of arm A, and an experiment is
refused where those do not say what runs.
"""

__all__ = ["LAUNCHER"]

from collections.abc import Mapping
from typing import Final

from sparktune.deploy.launchers._shared import live_readers
from sparktune.deploy.services import (
    ServiceSettings,
    here,
    original_arm,
    part_of,
    service_settings,
    wanted_names,
)
from sparktune.deploy.sparkrun_run import ARM, ENVIRONMENT, EXPERIMENT, Arm, experiment_label, wanted_cpus
from sparktune.deploy.sparkrun_seen import KEYS, Recipe, Running, recipe_of, recipe_reads
from sparktune.model.arm_action import (
    Action,
    Apply,
    AwaitAnswer,
    AwaitMemory,
    KeepLog,
    KillService,
    RunOnNode,
    ServiceProcess,
)
from sparktune.model.launcher import ArmPlan, ArmSpec, Launcher, LiveReader, LiveService, Seen
from sparktune.model.reads import Read, Readings
from sparktune.model.step import FileStep

_KNOWN: Final = ("options", "env", "flags", "executor_args")
_LOG_LINES: Final = "5000"


def _check(spec: ArmSpec) -> None:
    if len(spec.where) != 1:
        message = (
            "where has one part for sparkrun, which starts all ranks: {node: n1, recipe: /srv/r.yaml, cluster: NAME}"
        )
        raise ValueError(message)
    part_of(spec.where[0], KEYS, ("recipe",))
    for arm in spec.arms:
        service_settings(spec, arm, _KNOWN)
        live_readers(spec.arms, spec.live, arm)


def _reads(spec: ArmSpec, seen: Seen) -> Mapping[str, tuple[Read, ...]]:
    where = spec.where[0]
    node = str(where.get("node") or "")
    return {node: recipe_reads(where, seen.get(node))}


def _plan(spec: ArmSpec, seen: Seen, arm: str) -> ArmPlan:
    recipe = _recipe(spec, seen)
    one = Arm(recipe=recipe, settings=service_settings(spec, arm, _KNOWN))
    text = one.text()
    changed = FileStep(path=recipe.path, text=text, expect={recipe.path: recipe.text})
    applied = (Apply(node=recipe.node, steps=(changed,)),) if text != recipe.text else ()
    processes = _processes(spec, recipe, arm)
    return ArmPlan(
        actions=(*applied, one.command(_labels(spec, arm)), AwaitAnswer(limit_s=one.settings.wait_s)),
        readers=(*_readers(spec, one, processes), *live_readers(spec.arms, spec.live, arm)),
        takes="restart",
        leave=(*_ended(spec, recipe), *(AwaitMemory(service=process) for process in processes)),
        kill=tuple(KillService(service=process) for process in reversed(processes)),
    )


def _begin(spec: ArmSpec, seen: Seen) -> tuple[Action, ...]:
    recipe = _recipe(spec, seen)
    cluster = (f"--cluster={recipe.cluster}",) if recipe.cluster else ()
    stops = (
        RunOnNode(node=recipe.node, argv=("sparkrun", "stop", one.id, *cluster), environment=ENVIRONMENT)
        for one in recipe.running
    )
    return (*stops, *(AwaitMemory(service=_workload(node, one)) for one in recipe.running for node in recipe.nodes))


def _original(spec: ArmSpec, seen: Seen) -> tuple[Action, ...]:
    """Return what runs the recipe as its arm says, where it ran; it keeps the label by which its process is read."""
    recipe = _recipe(spec, seen)
    if not recipe.running:
        return ()
    arm = original_arm(spec)
    one = Arm(recipe=recipe, settings=service_settings(spec, arm, _KNOWN))
    return (one.command(_labels(spec, arm)), AwaitAnswer(limit_s=one.settings.wait_s))


def _recipe(spec: ArmSpec, seen: Seen) -> Recipe:
    where = spec.where[0]
    recipe = recipe_of(where, seen.get(str(where.get("node") or ""), Readings()))
    arm = original_arm(spec)
    _same_as_arm(recipe, arm, service_settings(spec, arm, _KNOWN))
    return recipe


def _same_as_arm(recipe: Recipe, arm: str, settings: ServiceSettings) -> None:
    """Refuse where what runs is not what that arm says: nothing else could bring it back."""
    wanted = {**recipe.defaults, **Arm(recipe=recipe, settings=settings).options()}
    for running in recipe.running:
        own = wanted_cpus(settings.executor_args)
        why = ""
        if running.cpuset != own:
            why = (
                f"it has the CPUs {running.cpuset or 'of all'}, and arm {arm} {own or 'no'} --cpuset-cpus: sparkrun "
                f"records executor_args nowhere, so write them into arm {arm}"
            )
        overrides = running.overrides
        name = next((key for key in wanted if key in overrides and str(overrides[key]) != str(wanted[key])), "")
        if name:
            has = overrides[name]
            why = f"{name} is {has} there, {wanted[name]} in arm {arm}: write arm {arm}: options: {{{name}: {has}}}"
        if why:
            message = f"{here(recipe.node)}: {running.id} runs, and could not be brought back: {why}"
            raise ValueError(message)


def _labels(spec: ArmSpec, arm: str) -> dict[str, str]:
    return {EXPERIMENT: experiment_label(spec), ARM: arm}


def _processes(spec: ArmSpec, recipe: Recipe, arm: str) -> tuple[ServiceProcess, ...]:
    return tuple(ServiceProcess(node=node, labels=_labels(spec, arm)) for node in recipe.nodes)


def _workload(node: str, running: Running) -> ServiceProcess:
    return ServiceProcess(node=node, labels={"sparkrun.cluster_id": running.id})


def _readers(spec: ArmSpec, one: Arm, processes: tuple[ServiceProcess, ...]) -> tuple[LiveReader, ...]:
    flags = tuple(dict.fromkeys((*wanted_names(spec, "flags"), *_fed_by_options(spec, one.recipe))))
    names = wanted_names(spec, "env")
    own = one.settings.env
    pinned = any(wanted_cpus(str(arm.get("executor_args") or "")) for arm in spec.arms.values())
    return tuple(
        LiveService(
            service=process,
            flags=one.flags(flags),
            environment={name: own[name] if name in own else one.recipe.env.get(name) for name in names},
            cpus=(wanted_cpus(one.settings.executor_args) or one.recipe.cpus) if pinned else "",
        )
        for process in processes
    )


def _fed_by_options(spec: ArmSpec, recipe: Recipe) -> tuple[str, ...]:
    """Return the flags that options of any arm feed."""
    keys = {name.partition(".")[0] for name in wanted_names(spec, "options")}
    if not recipe.has_command:
        return tuple(f"--{key.replace('_', '-')}" for key in sorted(keys))
    return tuple(flag for flag in recipe.flags if keys & set(recipe.keys_of(flag)))


def _ended(spec: ArmSpec, recipe: Recipe) -> tuple[Action, ...]:
    """Return what keeps the logs and stops an arm: by the id that its container has, since arms may share one."""
    label = f"label={EXPERIMENT}={experiment_label(spec)}"
    ids = ("docker", "ps", "--filter", label, "--format", '{{.Label "sparkrun.cluster_id"}}')
    cluster = (f"--cluster={recipe.cluster}",) if recipe.cluster else ()
    logs = ("sparkrun", "logs", "--all-sources", f"--tail={_LOG_LINES}", *cluster)
    return (
        KeepLog(node=recipe.node, argv=logs, name="sparkrun", arguments_from=ids),
        RunOnNode(node=recipe.node, argv=("sparkrun", "stop", *cluster), environment=ENVIRONMENT, arguments_from=ids),
    )


LAUNCHER = Launcher(
    id="sparkrun",
    title="a recipe run by sparkrun",
    check=_check,
    plan=_plan,
    original=_original,
    reads=_reads,
    begin=_begin,
)
