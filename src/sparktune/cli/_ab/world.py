"""What an experiment is carried out with on this machine: launcher, folders, nodes, API key."""

__all__ = ["World", "service_values", "with_image", "world_of"]

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from sparktune.bench.corpus import Corpus
from sparktune.cli._experiment_options import ExperimentOptions
from sparktune.cli._host.ask import who
from sparktune.deploy.arm_planner import ArmPlanner
from sparktune.errors import UsageError
from sparktune.experiment.plan import Experiment, VisitRecord
from sparktune.flows.ab.gate import Gate, SensorGate, hottest
from sparktune.flows.ab.guard import WatchOpener
from sparktune.flows.ab.watch import guards_on
from sparktune.flows.bench.progress import Progress
from sparktune.flows.earned import running_image
from sparktune.flows.one_host import refuse_twins
from sparktune.io.cluster import LOCAL, NodeTarget, find_nodes
from sparktune.io.config import CONFIG_NAME, Config, ServiceConfig, find_config, load_config
from sparktune.io.corpus import file_corpus, python_corpus
from sparktune.io.drift.service import DriftTargets
from sparktune.io.guarded.endpoint import ask_endpoint
from sparktune.io.http.address import parse_address
from sparktune.io.launching.hold import HoldSettings
from sparktune.io.launching.sight import see
from sparktune.io.own_prompts import own_prompts_of, prompts_corpus
from sparktune.io.secrets import read_api_key
from sparktune.io.store.store import Store
from sparktune.io.traffic import replay_of, traffic_corpus
from sparktune.model.drift import ServicePlace
from sparktune.model.guard import LoadTick
from sparktune.model.launcher import Seen
from sparktune.model.reads import Read

_LOOPBACK = ("127.", "localhost", "[::1]", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """``watched`` are the nodes whose sensors are read."""

    planner: ArmPlanner
    settings: HoldSettings
    corpus: Corpus
    watched: tuple[NodeTarget, ...]

    async def seeing(self) -> ArmPlanner:
        """Return the planner with what it wants to know of the nodes. Raises NodeError, UsageError.

        Nothing may be changed by the experiment at that time.
        """
        await refuse_twins(tuple(self.settings.nodes.values()))
        try:
            planner = self.planner.with_seen(await see(self._wanted, self.settings))
            for arm in self.planner.spec.arms:
                planner.plan(arm)
        except ValueError as error:
            message = f"the arms cannot be set: {error}"
            raise UsageError(message, hint="mend what it names, there or in the experiment") from None
        return planner

    def _wanted(self, seen: Seen) -> Mapping[str, Sequence[Read]]:
        return self.planner.with_seen(seen).reads()

    def gate(self, progress: Progress, visits: Sequence[VisitRecord]) -> Gate:
        """Return what waits before a visit, as warm as the first of the visits that there were."""
        first = next((heat for visit in visits if (heat := hottest(visit.sensors)) is not None), None)
        return SensorGate(self.watched, progress.say, asyncio.sleep, time.monotonic, first)

    def watch(self, progress: Progress) -> WatchOpener:
        """Return what opens the guards of a visit."""
        return guards_on(self.watched, progress.say)

    def asks(self, tell: Callable[[LoadTick], None]) -> Coroutine[Any, Any, None]:
        """Return what asks the endpoint whether it answers, until it is cancelled."""
        return ask_endpoint(parse_address(self.settings.base_url), tell)


def world_of(experiment: Experiment, options: ExperimentOptions, store: Store) -> World:
    """Find everything that the experiment names. Raises UsageError for what is not there."""
    planner = ArmPlanner(launcher=experiment.launcher, spec=experiment.spec)
    try:
        named = planner.nodes()
    except ValueError as error:
        message = f"experiment {experiment.id} cannot be carried out: {error}"
        raise UsageError(message, hint="it may have been declared by another version; start a new one") from None
    config = _config(Path(experiment.folder or "."))
    service = config.service(name) if config and (name := experiment.scope.get("service")) else None
    key = read_api_key(
        os.environ,
        flag=options.api_key or None,
        file=options.api_key_file or (config.key_file(service) if config and service else None),
        variable=service.api_key_env if service else None,
    )
    targets = _targets([*experiment.nodes, *named], config)
    return World(
        planner=planner,
        settings=HoldSettings(
            base_url=experiment.base_url,
            log_folder=store.path.parent / "ab-logs" / experiment.id,
            work_folder=Path(experiment.folder or "."),
            environment=dict(os.environ),
            api_key=key.secret,
            nodes={target.name: target for target in targets},
            who=who(),
        ),
        corpus=_corpus(experiment, options),
        watched=_watched(experiment, targets),
    )


def with_image(experiment: Experiment, world: World) -> Experiment:
    """Return the experiment with the image that its service runs, where it has one: what it finds is true of that.

    An arm that brings an image of its own is true of none that runs now.
    """
    if any("image" in (arm.get("keys") or {}) for arm in experiment.arms.values()):
        return experiment
    place = ServicePlace(
        name=experiment.scope.get("service", ""),
        launcher=experiment.launcher,
        where=experiment.where,
        endpoint=experiment.base_url,
    )
    targets = DriftTargets(nodes=world.settings.nodes, api_key=world.settings.api_key)
    found = asyncio.run(running_image(place, targets))
    return replace(experiment, scope={**experiment.scope, "image_digest": found}) if found else experiment


def service_values(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values with what ``sparktune.yaml`` says of the service, the workload and the limits of guards.

    Raises UsageError.
    """
    values = _with_guard(_with_workload(values))
    name = values.get("service")
    if not isinstance(name, str) or not name:
        return values
    config = _config(Path.cwd())
    if config is None:
        message = f"the service {name!r} is to be looked up, and no {CONFIG_NAME} is in this folder or above it"
        raise UsageError(message, hint="write one with: sparktune init; or give --url")
    service = config.service(name)
    workload = values.get("workload")
    found = {"url": service.endpoint, **_launched(service, values), **values}
    if service.model and (workload is None or (isinstance(workload, dict) and "model" not in workload)):
        found["workload"] = {**(workload or {}), "model": service.model}
    return found


def _launched(service: ServiceConfig, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the service is started, where the experiment does not say another way."""
    if service.launcher is None or values.get("launcher", service.launcher) != service.launcher:
        return {}
    return {
        "launcher": service.launcher,
        **({"where": [dict(part) for part in service.where]} if service.where else {}),
    }


def _corpus(experiment: Experiment, options: ExperimentOptions) -> Corpus:
    """Return what prompts are made of; own prompts have to be those of the plan."""
    if not experiment.prompts:
        return file_corpus(options.corpus) if options.corpus else python_corpus()
    replays = [cell.replay for cell in experiment.workload.cells if cell.replay is not None]
    if replays:
        text = file_corpus(options.corpus) if options.corpus else python_corpus()
        corpus = traffic_corpus(Path(experiment.prompts), text, limit=replays[0].count)
        same = replay_of(corpus, 1.0).digest == replays[0].digest
    else:
        corpus = prompts_corpus(Path(experiment.prompts))
        planned = {cell.prompts.digest for cell in experiment.workload.cells if cell.prompts is not None}
        same = own_prompts_of(corpus, nonce=False).digest in planned
    if not same:
        message = f"{experiment.prompts} has changed since experiment {experiment.id} was planned"
        raise UsageError(message, hint="bring back what it held, or start a new experiment")
    return corpus


def _with_guard(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values with the limits of ``sparktune.yaml`` where the experiment says nothing else."""
    config = _config(Path.cwd())
    own = values.get("guard") or {}
    if config is None or not config.guard or not isinstance(own, dict):
        return values
    return {**values, "guard": {**config.guard, **own}}


def _with_workload(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values with a workload of ``sparktune.yaml`` in the place of its name, or of ``{from: NAME, ...}``."""
    given = values.get("workload")
    rest = {key: value for key, value in given.items() if key != "from"} if isinstance(given, dict) else {}
    name = given.get("from") if isinstance(given, dict) else given
    if not isinstance(name, str):
        return values
    if name.endswith(".jsonl"):
        return {**values, "workload": {"replay": name, **rest}}
    config = _config(Path.cwd())
    if config is None:
        message = f"the workload {name!r} is to be looked up, and no {CONFIG_NAME} is in this folder or above it"
        raise UsageError(message, hint="write the workload out, in the file or as --prompt-tokens and others")
    named = config.workload(name)
    usual = type(named)()
    written = {key: value for key, value in msgspec.structs.asdict(named).items() if value != getattr(usual, key)}
    for key in ("prompts", "replay"):
        if file := getattr(named, key):
            written[key] = str((config.path.parent / Path(file).expanduser()).absolute())
    return {**values, "workload": {**msgspec.to_builtins(written), **rest}}


def _config(folder: Path) -> Config | None:
    path = find_config(folder)
    return load_config(path) if path is not None else None


def _targets(names: Iterable[str], config: Config | None) -> tuple[NodeTarget, ...]:
    wanted = list(dict.fromkeys(name for name in names if name))
    return find_nodes(wanted, config) if wanted else ()


def _watched(experiment: Experiment, targets: tuple[NodeTarget, ...]) -> tuple[NodeTarget, ...]:
    """Return the nodes that are named, else this machine when the server is on it."""
    if targets:
        return targets
    host = parse_address(experiment.base_url).authority
    return (NodeTarget(name=LOCAL),) if host.startswith(_LOOPBACK) else ()
