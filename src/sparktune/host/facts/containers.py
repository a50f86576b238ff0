"""Containers of inference engines: image, cores, devices, limits, labels.

Source: Docker Engine API ``ContainerInspect``; the compose specification for services that files declare.
"""

__all__ = ["Container", "ContainerFacts"]

from collections.abc import Mapping
from dataclasses import dataclass, field

from sparktune.model.observed import Observed, absent
from sparktune.units import Bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """One container that Docker runs, or one service that a compose file (``declared_in``) declares.

    ``image`` is the name, ``image_id`` its digest. ``engine`` is vllm, sglang, llamacpp, ollama, or None when the
    container is none of an inference engine. ``cpuset`` is the text of HostConfig.CpusetCpus, empty for none.
    ``memlock_bytes`` is the soft limit, ABSENT for Docker's default; ``unlimited_memlock`` when it is -1. ``devices``
    and ``mounts`` are paths on the host. ``environment`` holds only variables of NCCL, Gloo, UCX and their like.
    ``pid`` is that of its first process, None when it does not run.
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
    capabilities: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    mounts: tuple[str, ...] = ()
    memlock_bytes: Observed[Bytes] = absent()
    unlimited_memlock: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerFacts:
    """All containers, by name; ``runtime`` says whether Docker answered."""

    containers: tuple[Container, ...] = ()
    runtime: Observed[str] = absent()
