"""What compose is started with for a service: the files that its container names, else those that a person named.

Sources: the labels ``com.docker.compose.*`` that compose 2.40 writes on what it creates (project, service, version,
project.working_dir, project.config_files, project.environment_file). Without ``--env-file`` the file ``.env`` of the
project's folder feeds ``${NAME}``.
"""

__all__ = ["LABEL", "VERSION", "Origin", "config_files", "containers", "listed", "need_compose", "origin_of"]

from collections.abc import Mapping
from dataclasses import dataclass
from posixpath import dirname, isabs, join, normpath
from typing import Any, Final

from sparktune.deploy.services import containers_of, first_line, here, labels_of
from sparktune.model.reads import ReadCommand, Readings

LABEL: Final = "com.docker.compose."
_MOST_BYTES: Final = 8 * 1024 * 1024
VERSION: Final = ReadCommand(argv=("docker", "compose", "version", "--short"), limit_s=30.0)
_Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What compose is started with: ``project`` "" is the one that compose itself names."""

    project: str
    folder: str
    files: tuple[str, ...]
    env_files: tuple[str, ...]

    def command(self, *words: str, project: str = "") -> tuple[str, ...]:
        """Return a command of docker compose about these files."""
        name = project or self.project
        return (
            "docker",
            "compose",
            *((f"--project-name={name}",) if name else ()),
            f"--project-directory={self.folder}",
            *(f"--file={file}" for file in self.files),
            *(f"--env-file={file}" for file in self.env_files),
            *words,
        )

    @property
    def config(self) -> ReadCommand:
        """What the files come to, merged and filled in."""
        argv = self.command("--profile=*", "config", "--format=json")
        return ReadCommand(argv=argv, limit_s=30.0, most_bytes=_MOST_BYTES)

    @property
    def variables(self) -> tuple[str, ...]:
        """The files that feed ``${NAME}``, the last one first."""
        return tuple(reversed(self.env_files)) or (f"{self.folder}/.env",)


def need_compose(node: str, readings: Readings) -> None:
    """Raise ValueError where docker compose is not there, or is too old."""
    said = readings.command(*VERSION.argv)
    version = said.value.stdout.strip().removeprefix("v") if said.value is not None else ""
    major = version.partition(".")[0]
    if said.value is not None and said.value.code == 0 and major.isdecimal() and int(major) > 1:
        return
    why = said.why or (first_line(said.value) if said.value is not None else "there is no docker")
    message = (
        f"{node}: docker compose is not there ({version or why}): version 2 or newer is needed, as a plug-in of "
        "docker; the program docker-compose of version 1 is not driven"
    )
    raise ValueError(message)


def origin_of(where: Mapping[str, Any], readings: Readings) -> Origin:
    """Return the files of a part: those that its container was started from, else those that are named.

    Raises ValueError.
    """
    node, name = here(str(where.get("node") or "")), str(where["service"])
    folder, project = str(where.get("folder") or ""), str(where.get("project") or "")
    asked = [join(folder, file) for file in listed(where.get("file"))]
    labels = [labels_of(one) for one in containers(node, readings)]
    started = [
        one
        for one in labels
        if one.get(f"{LABEL}service") == name
        and (not project or one.get(f"{LABEL}project") == project)
        and all(any(_names(path, file) for path in config_files(one)) for file in asked)
    ]
    projects = sorted({one.get(f"{LABEL}project", "") for one in started})
    if len(projects) > 1:
        message = f"{node}: service {name} runs in several projects ({', '.join(projects)}): say project: in where"
        raise ValueError(message)
    if started:
        return _started_from(node, name, started[0])
    if not asked or not all(map(isabs, asked)):
        what = f"{', '.join(asked)} is no whole path, and " if asked else ""
        message = f"{node}: {what}no container of service {name} is there whose labels would name its files: say file:"
        raise ValueError(message)
    files = tuple(map(normpath, asked))
    home = folder or dirname(files[0])
    env_files = tuple(normpath(join(home, file)) for file in listed(where.get("env_file")))
    return Origin(project=project, folder=home, files=files, env_files=env_files)


def _started_from(node: str, name: str, labels: _Labels) -> Origin:
    version = labels.get(f"{LABEL}version", "")
    if version.startswith("1."):
        message = (
            f"{node}: service {name} was started by docker-compose {version}, which names and compares containers "
            "otherwise: bring it up with docker compose (version 2) first"
        )
        raise ValueError(message)
    files = config_files(labels)
    if not files or not all(map(isabs, files)):
        message = (
            f"{node}: service {name} was started from {', '.join(files) or 'no file'}: a file with a path is needed"
        )
        raise ValueError(message)
    folder = labels.get(f"{LABEL}project.working_dir") or dirname(files[0])
    listed = labels.get(f"{LABEL}project.environment_file", "").split(",")
    return Origin(
        project=labels.get(f"{LABEL}project", ""),
        folder=folder,
        files=files,
        env_files=tuple(normpath(join(folder, one)) for one in listed if one),
    )


def containers(node: str, readings: Readings) -> list[Mapping[str, Any]]:
    """Return the containers of a node, without those of a single command. Raises ValueError."""
    return [one for one in containers_of(node, readings) if labels_of(one).get(f"{LABEL}oneoff") != "True"]


def config_files(labels: _Labels) -> tuple[str, ...]:
    """Return the files from which a container was started."""
    folder = labels.get(f"{LABEL}project.working_dir", "")
    return tuple(
        normpath(join(folder, one)) for one in labels.get(f"{LABEL}project.config_files", "").split(",") if one
    )


def _names(path: str, file: str) -> bool:
    return path == normpath(file) if isabs(file) else path.endswith(f"/{normpath(file)}")


def listed(value: object) -> list[str]:
    """Return one text or several as a list."""
    return [str(one) for one in value] if isinstance(value, list | tuple) else [str(value)] if value else []
