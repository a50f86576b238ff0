"""Compose files that matter on a node, and how Docker there makes control groups.

Sources: the labels ``com.docker.compose.project.config_files``, ``.working_dir`` and ``.service``, which compose writes
on what it creates; ``docker info``, Cgroup Driver; moby's cmd/dockerd: without a parent of its own a container is below
system.slice as docker-ID.scope with systemd, below /docker with cgroupfs.
"""

__all__ = ["DRIVER_READ", "ComposeFile", "cgroup_driver", "compose_files", "literal"]

import re
from collections.abc import Iterator
from dataclasses import dataclass
from posixpath import isabs, normpath

from sparktune.host.container_cpus import is_inference
from sparktune.host.facts.containers import Container, ContainerFacts
from sparktune.host.facts.processes import ProcessFacts
from sparktune.model.host_plan import HostView
from sparktune.model.node import NodeFacts
from sparktune.model.observed import Observed, State, absent, present
from sparktune.model.profile import Profile
from sparktune.model.reads import ReadCommand

DRIVER_READ = ReadCommand(argv=("docker", "info", "--format", "{{.CgroupDriver}}"))
_LABEL = "com.docker.compose."
_MOST_FILES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposeFile:
    """A compose file: ``asked`` when the profile names it; ``running`` inference containers of it, by service."""

    path: str
    asked: bool
    running: tuple[tuple[str, Container], ...] = ()


def compose_files(facts: NodeFacts, profile: Profile) -> tuple[ComposeFile, ...]:
    """Return the files that the profile names, then those that running inference containers name."""
    running: dict[str, list[tuple[str, Container]]] = {path: [] for path in profile.compose_files}
    for container in (facts.get(ContainerFacts) or ContainerFacts()).containers:
        if container.running and is_inference(container, profile):
            for path in _config_files(container):
                running.setdefault(path, []).append((container.labels.get(f"{_LABEL}service", ""), container))
    return tuple(
        ComposeFile(path=path, asked=path in profile.compose_files, running=tuple(of))
        for path, of in list(running.items())[:_MOST_FILES]
    )


def _config_files(container: Container) -> Iterator[str]:
    """Yield the files that a container's label names, YAML only: an image may bring any label with it."""
    folder = container.labels.get(f"{_LABEL}project.working_dir", "")
    for name in container.labels.get(f"{_LABEL}project.config_files", "").split(","):
        path = normpath(name if isabs(name) else f"{folder}/{name}")
        if isabs(path) and path.endswith((".yml", ".yaml")):
            yield path


def literal(path: str) -> str:
    """Return the shell pattern that stands for a path and nothing else."""
    return re.sub(r"([*?\[])", r"[\1]", path)


def cgroup_driver(view: HostView) -> Observed[str]:
    """Return Docker's driver of control groups: as it says, else as the place of a running container shows."""
    said = view.readings.command(*DRIVER_READ.argv)
    word = said.value.stdout.strip() if said.value is not None and said.value.code == 0 else ""
    if word in {"systemd", "cgroupfs"}:
        return present(word)
    for process in (view.facts.get(ProcessFacts) or ProcessFacts()).processes:
        if f"docker-{process.container}.scope" in (process.cgroup.value or ""):
            return present("systemd")
        if process.container and f"/docker/{process.container}" in (process.cgroup.value or ""):
            return present("cgroupfs")
    return Observed(said.state, None, said.why) if said.state is State.UNREADABLE else absent()
