"""Containers of inference engines: image, cores, devices, limits, labels.

Source: Docker Engine API ``ContainerInspect``; the compose specification for services that files declare.
"""

__all__ = ["SOURCE", "Container", "ContainerFacts"]

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from sparktune.engines import engine_of_image
from sparktune.host.environment import kept_environment
from sparktune.host.facts._shared import shorten
from sparktune.model.node import FactSource
from sparktune.model.observed import Observed, absent, present, unreadable
from sparktune.model.reads import CommandOutput, ReadCommand, Readings
from sparktune.redact import redact_argv
from sparktune.units import Bytes

_INSPECT = ("docker", "inspect")
_ALL_IDS = ("docker", "ps", "-aq", "--no-trunc")
_MOST_BYTES: Bytes = 8 * 1024 * 1024  # a container takes about 10 KiB
_UNLIMITED = -1
# Labels of compose, sparkrun and NVIDIA images; others may hold anything.
_KEPT_LABELS = ("com.docker.compose.", "sparkrun.", "sparktune.", "org.opencontainers.image.version")


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """One container that Docker runs, or one service that a compose file (``declared_in``) declares.

    ``image`` is the name, ``image_id`` its digest. ``engine`` is vllm, sglang, llamacpp, ollama, or None when the
    container is none of an inference engine. ``cpuset`` is the text of HostConfig.CpusetCpus, empty for none, and
    ``cgroup_parent`` that of HostConfig.CgroupParent, empty for Docker's own place.
    ``memlock_bytes`` is the soft limit, ABSENT for Docker's default; ``unlimited_memlock`` when it is -1. ``devices``
    and ``mounts`` are paths on the host. ``environment`` holds only variables of NCCL, Gloo, UCX and their like.
    ``pid`` is that of its first process, None when it does not run. ``complete`` is False for an excerpt, of which only
    what it says is known: what it does not say may be set elsewhere.
    """

    id: str
    name: str
    image: str
    image_id: Observed[str] = absent()
    engine: str | None = None
    declared_in: str | None = None
    running: bool = True
    pid: int | None = None
    started_at: Observed[str] = absent()
    restart_policy: str = ""
    network_mode: str = ""
    privileged: bool = False
    user: str = ""
    cpuset: str = ""
    cgroup_parent: str = ""
    capabilities: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    mounts: tuple[str, ...] = ()
    memlock_bytes: Observed[Bytes] = absent()
    unlimited_memlock: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerFacts:
    """All containers, by name; ``runtime`` says whether Docker answered."""

    containers: tuple[Container, ...] = ()
    runtime: Observed[str] = absent()


class _State(msgspec.Struct, rename="pascal"):
    status: str | None = None
    running: bool | None = None
    pid: int | None = None
    started_at: str | None = None


class _Named(msgspec.Struct, rename="pascal"):
    name: str = ""


class _Limit(msgspec.Struct, rename="pascal"):
    name: str = ""
    soft: int | None = None


class _DeviceOf(msgspec.Struct, rename="pascal"):
    path_on_host: str = ""


class _HostConfig(msgspec.Struct, rename="pascal"):
    cpuset_cpus: str | None = None
    cgroup_parent: str | None = None
    network_mode: str | None = None
    privileged: bool | None = None
    cap_add: list[str] | None = None
    devices: list[_DeviceOf] | None = None
    ulimits: list[_Limit] | None = None
    restart_policy: _Named | None = None
    binds: list[str] | None = None


class _Mount(msgspec.Struct, rename="pascal"):
    source: str = ""


class _Config(msgspec.Struct, rename="pascal"):
    image: str | None = None
    user: str | None = None
    env: list[str] | None = None
    cmd: list[str] | None = None
    entrypoint: list[str] | None = None
    labels: dict[str, str] | None = None


class _Inspected(msgspec.Struct, rename="pascal"):
    """What is used of one container that ``docker inspect`` describes; any field may be missing."""

    id: str = ""
    name: str = ""
    image: str | None = None
    state: _State | None = None
    host_config: _HostConfig | None = None
    config: _Config | None = None
    mounts: list[_Mount] | None = None


def _parse(readings: Readings) -> ContainerFacts:
    command = readings.command(*_INSPECT)
    if command.value is None:
        return ContainerFacts(runtime=Observed(command.state, None, command.why))
    inspected = command.map(_decoded)
    if inspected.value is None:
        return ContainerFacts(runtime=unreadable(inspected.why))
    found = sorted((_container(one) for one in inspected.value if one.name or one.id), key=lambda one: one.name)
    return ContainerFacts(containers=tuple(found), runtime=present("docker"))


def _decoded(output: CommandOutput) -> list[_Inspected]:
    # A container that ends between listing and looking makes the command fail, but the others are printed.
    text = output.stdout.strip()
    if text in {"", "[]"}:
        if output.code:
            message = f"exit code {output.code}: {shorten(output.stderr)}"
            raise ValueError(message)
        return []
    try:
        return msgspec.json.decode(text, type=list[_Inspected])
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        message = f"not the JSON of docker inspect: {error}"
        raise ValueError(message) from None


def _mounts(one: _Inspected, host: _HostConfig) -> tuple[str, ...]:
    """Return the node's paths that a container sees, each once: mounts first, then binds."""
    binds = (bind.split(":", 1)[0] for bind in host.binds or ())
    return tuple(dict.fromkeys((*(mount.source for mount in one.mounts or ()), *binds)))


def _environment(config: _Config) -> Mapping[str, str]:
    pairs = (entry.partition("=") for entry in config.env or ())
    return kept_environment({name: value for name, sign, value in pairs if sign})


def _container(one: _Inspected) -> Container:
    state, host, config = one.state or _State(), one.host_config or _HostConfig(), one.config or _Config()
    running = state.running if state.running is not None else state.status in {"running", "paused"}
    image = config.image or one.image or ""
    command = (*(config.entrypoint or ()), *(config.cmd or ()))
    memlock = next((limit.soft for limit in host.ulimits or () if limit.name == "memlock"), None)
    return Container(
        id=one.id,
        name=one.name.lstrip("/"),
        image=image,
        image_id=present(one.image) if one.image else absent(),
        # sparkrun starts the engine later, in a container that sleeps; its label names it.
        engine=engine_of_image(image, (*command, (config.labels or {}).get("sparkrun.runtime", ""))),
        running=running,
        pid=state.pid if running and state.pid else None,
        started_at=present(state.started_at) if running and state.started_at else absent(),
        restart_policy=(host.restart_policy or _Named()).name,
        network_mode=host.network_mode or "",
        privileged=bool(host.privileged),
        user=config.user or "",
        cpuset=host.cpuset_cpus or "",
        cgroup_parent=host.cgroup_parent or "",
        capabilities=tuple(capability.removeprefix("CAP_") for capability in host.cap_add or ()),
        devices=tuple(device.path_on_host for device in host.devices or ()),
        mounts=_mounts(one, host),
        memlock_bytes=present(memlock) if memlock is not None and memlock != _UNLIMITED else absent(),
        unlimited_memlock=memlock == _UNLIMITED,
        labels={name: value for name, value in sorted((config.labels or {}).items()) if name.startswith(_KEPT_LABELS)},
        environment=_environment(config),
        command=redact_argv(command),
    )


SOURCE = FactSource(
    name="containers",
    kind=ContainerFacts,
    reads=(ReadCommand(argv=_INSPECT, arguments_from=_ALL_IDS, most_bytes=_MOST_BYTES),),
    parse=_parse,
)
