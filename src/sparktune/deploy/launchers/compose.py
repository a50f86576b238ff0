"""A service of docker compose: its files are edited, every rank is created anew, and its own process is read.

An arm: ``{env: {NAME: value}, flags: {--max-num-seqs: 8}, keys: {cpuset: "5-9"}, wait_s: 900}``. ``where`` lists the
parts in the order in which they start: ``{node: spark1, file: /srv/vllm/compose.yaml, service: vllm}``; of a service
that runs, its container's labels say from which files it was started, and exactly those are used.

Nothing is pulled or built: an arm that got a newer image would be another experiment.

Source: docs.docker.com/reference/cli/docker/compose (up, stop, rm, logs), compose 2.40. podman is not driven: its
compose writes other labels.
"""

__all__ = ["LAUNCHER"]

from collections.abc import Mapping
from typing import Final

from sparktune.deploy.compose_edits import before, set_service
from sparktune.deploy.compose_seen import KEYS, ComposeService, compose_reads, compose_service
from sparktune.deploy.launchers._shared import live_readers
from sparktune.deploy.services import (
    Part,
    ServiceSettings,
    here,
    killing,
    leaving,
    original_arm,
    part_of,
    service_settings,
    wanted_names,
    wanted_of,
)
from sparktune.deploy.texts import Texts
from sparktune.model.arm_action import Action, Apply, AwaitAnswer, AwaitMemory, KeepLog, RunOnNode, ServiceProcess
from sparktune.model.launcher import ArmPlan, ArmSpec, Launcher, LiveReader, LiveService, Seen
from sparktune.model.reads import Read, Readings

_KNOWN: Final = ("env", "flags", "keys")
_CPUS: Final = "cpuset"
_LABEL: Final = "com.docker.compose."


def _check(spec: ArmSpec) -> None:
    if not spec.where:
        message = (
            "where is missing: the parts of the service, like {node: spark1, file: /srv/compose.yaml, service: vllm}"
        )
        raise ValueError(message)
    for where in spec.where:
        part_of(where, KEYS, ("service",))
    for arm in spec.arms:
        service_settings(spec, arm, _KNOWN)
        live_readers(spec.arms, spec.live, arm)
    unread = [key for key in wanted_names(spec, "keys") if key != _CPUS]
    if unread and not spec.live:
        message = f"keys: {unread[0]} cannot be seen in the process itself: say under live how it is read back"
        raise ValueError(message)


def _reads(spec: ArmSpec, seen: Seen) -> Mapping[str, tuple[Read, ...]]:
    found: dict[str, tuple[Read, ...]] = {}
    for where in spec.where:
        node = str(where.get("node") or "")
        found[node] = (*found.get(node, ()), *compose_reads(where, seen.get(node)))
    return found


def _plan(spec: ArmSpec, seen: Seen, arm: str) -> ArmPlan:
    settings = service_settings(spec, arm, _KNOWN)
    services = _services(spec, seen)
    parts = tuple(map(_part, services))
    return ArmPlan(
        actions=(*_applied(services, settings), *map(_up, services), AwaitAnswer(limit_s=settings.wait_s)),
        readers=(
            *(_reader(spec, settings, service) for service in services),
            *live_readers(spec.arms, spec.live, arm),
        ),
        takes="restart",
        leave=leaving(parts),
        kill=killing(parts),
    )


def _begin(spec: ArmSpec, seen: Seen) -> tuple[Action, ...]:
    parts = [_part(service) for service in _services(spec, seen) if service.ran]
    ends = tuple(reversed(parts))
    return (*(part.stop for part in ends), *(AwaitMemory(service=part.service) for part in ends))


def _original(spec: ArmSpec, seen: Seen) -> tuple[Action, ...]:
    services = _services(spec, seen)
    actions = tuple(map(_as_before, services))
    if not all(service.ran for service in services):
        return actions
    return (*actions, AwaitAnswer(limit_s=service_settings(spec, original_arm(spec), _KNOWN).wait_s))


def _services(spec: ArmSpec, seen: Seen) -> tuple[ComposeService, ...]:
    return tuple(
        compose_service(where, seen.get(str(where.get("node") or ""), Readings()), exact=not spec.anew)
        for where in spec.where
    )


def _applied(services: tuple[ComposeService, ...], settings: ServiceSettings) -> tuple[Apply, ...]:
    texts: dict[str, Texts] = {}
    for service in services:
        texts.setdefault(service.node, Texts(_all_texts(services, service.node)))
        set_service(service, texts[service.node], settings)
    for service in services:
        _no_links(service, texts[service.node])
    return tuple(Apply(node=node, steps=steps) for node, edited in texts.items() if (steps := edited.steps()))


def _no_links(service: ComposeService, texts: Texts) -> None:
    """Refuse to edit a link before anything is touched: the node's agent would, in the middle of an experiment."""
    for step in texts.steps():
        if target := service.links.get(step.path):
            message = (
                f"{here(service.node)}: {step.path} is a link to {target}, which others may use: it is not edited; "
                "bring the service up from the file itself, or put a copy in the place of the link"
            )
            raise ValueError(message)


def _all_texts(services: tuple[ComposeService, ...], node: str) -> dict[str, str | None]:
    return {path: text for one in services if one.node == node for path, text in one.texts.items()}


def _reader(spec: ArmSpec, settings: ServiceSettings, service: ComposeService) -> LiveReader:
    cpus = wanted_of(settings.keys, (_CPUS,), before(service, "key"))[_CPUS]
    return LiveService(
        service=_process(service),
        flags=wanted_of(settings.flags, wanted_names(spec, "flags"), before(service, "flag")),
        environment=wanted_of(settings.env, wanted_names(spec, "env"), service.environment),
        cpus=(cpus or service.cpus) if _CPUS in wanted_names(spec, "keys") else "",
    )


def _process(service: ComposeService) -> ServiceProcess:
    labels = {f"{_LABEL}project": service.project, f"{_LABEL}service": service.name}
    return ServiceProcess(node=service.node, labels=labels)


def _part(service: ComposeService) -> Part:
    name = f"{service.project}-{service.name}"
    logs = (
        "docker",
        "compose",
        f"--project-name={service.project}",
        "logs",
        "--no-color",
        "--no-log-prefix",
        service.name,
    )
    stop = ("docker", "compose", f"--project-name={service.project}", "stop", service.name)
    return Part(
        service=_process(service),
        log=KeepLog(node=service.node, argv=logs, name=name),
        stop=RunOnNode(node=service.node, argv=stop),
    )


def _up(service: ComposeService) -> RunOnNode:
    return RunOnNode(node=service.node, argv=(*service.up, service.name), folder=service.folder)


def _as_before(service: ComposeService) -> RunOnNode:
    """Return what leaves a service as it was: running, created and not running, or not there."""
    if service.ran:
        return _up(service)
    if service.existed:
        return RunOnNode(node=service.node, argv=(*service.up, "--no-start", service.name), folder=service.folder)
    removed = ("docker", "compose", f"--project-name={service.project}", "rm", "--force", service.name)
    return RunOnNode(node=service.node, argv=removed)


LAUNCHER = Launcher(
    id="compose",
    title="a service of docker compose",
    check=_check,
    plan=_plan,
    original=_original,
    reads=_reads,
    begin=_begin,
)
