"""A service of docker compose as it was seen on its node: the files that it was started from, and what they come to.

Sources: the labels ``com.docker.compose.*`` that compose 2.40 writes on what it creates (project, service, version,
project.working_dir, project.config_files, project.environment_file); ``docker compose config``, which fills in and
merges as ``up`` does, and writes ``$`` as ``$$``; ``docker inspect`` and ``docker image inspect``. Without
``--env-file`` the file ``.env`` of the project's folder feeds ``${NAME}``; ``env_file:`` of a service does not, it
reaches the container alone. ``environment:`` goes before ``env_file:``, and both before the image's own variables.
"""

__all__ = ["KEYS", "ComposeService", "compose_reads", "compose_service"]

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from posixpath import basename, join, normpath
from typing import Any, Final

from sparktune.deploy.compose_origin import LABEL, VERSION, Origin, config_files, containers, need_compose, origin_of
from sparktune.deploy.services import (
    CONTAINERS,
    ONLINE,
    first_line,
    here,
    labels_of,
    part_of,
    text_of_file,
)
from sparktune.formats.compose_edit import raw_services
from sparktune.model.reads import Read, ReadCommand, ReadFile, Readings, ReadLinks
from sparktune.redact import redact_text

KEYS: Final = ("node", "service", "file", "folder", "env_file", "project")

_UP: Final = ("up", "--detach", "--force-recreate", "--no-deps", "--no-build", "--pull=never")


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposeService:
    """One service. ``declared`` is what its files come to, filled in and merged, ``$`` as it is.

    ``links`` are those of its files that are symbolic links, and what each says.

    ``files`` are merged in their order; ``variables`` feed ``${NAME}`` and ``own`` are its ``env_file:``, the one that
    goes before the others first. ``texts`` has all of them, None for one that is not there. ``image`` is what the image
    itself declares. ``existed``: there is a container of it, ``ran``: one that runs. ``cpus`` are the
    node's, "" when they are not known.
    """

    node: str
    name: str
    project: str
    folder: str
    files: tuple[str, ...]
    variables: tuple[str, ...]
    own: tuple[str, ...]
    texts: Mapping[str, str | None]
    declared: Mapping[str, Any]
    image: Mapping[str, Any]
    existed: bool
    ran: bool
    up: tuple[str, ...] = field(repr=False)
    cpus: str = ""
    links: Mapping[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str | None]:
        """The variables with which the container starts as its files are."""
        return {**_environment(self.image.get("Env")), **_declared_environment(self.declared)}

    @property
    def command(self) -> dict[str, Any]:
        """Entrypoint and command as the files have them, the image's where they have none."""
        entrypoint, command = self.declared.get("entrypoint"), self.declared.get("command")
        if command is None and entrypoint is None:
            command = self.image.get("Cmd")
        return {"entrypoint": self.image.get("Entrypoint") if entrypoint is None else entrypoint, "command": command}


def compose_reads(where: Mapping[str, Any], readings: Readings | None) -> tuple[Read, ...]:
    """Return what is to be read of a part's node, when this was seen of it. Raises ValueError."""
    part_of(where, KEYS, ("service",))
    if readings is None:
        return (VERSION, CONTAINERS, ONLINE)
    need_compose(here(str(where.get("node") or "")), readings)
    origin = origin_of(where, readings)
    files = tuple(ReadFile(path=path) for path in (*origin.files, *origin.variables))
    links = tuple(ReadLinks(pattern=one.path) for one in files)
    found: list[Read] = [VERSION, CONTAINERS, ONLINE, *files, *links, origin.config]
    if readings.command(*origin.config.argv).value is not None:
        service = str(where["service"])
        for path in _own_files(origin, service, readings):
            found += [ReadFile(path=path), ReadLinks(pattern=path)]
        found.append(ReadCommand(argv=("docker", "image", "inspect", _image_name(where, origin, readings))))
    return tuple(found)


def compose_service(where: Mapping[str, Any], readings: Readings, *, exact: bool = True) -> ComposeService:
    """Return a part as it was seen. Raises ValueError, with the node, for what stands against setting it.

    ``exact``: what runs has to be what its files would start, or it could not be brought back as it is.
    """
    node, name = here(str(where.get("node") or "")), str(where["service"])
    need_compose(node, readings)
    origin = origin_of(where, readings)
    project, declared = _config(where, origin, readings)
    found = [one for one in containers(node, readings) if _is(one, name, project)]
    _same_origin(node, name, found, origin)
    image = _image(node, _image_name(where, origin, readings), readings)
    own = _own_files(origin, name, readings)
    texts = {path: text_of_file(node, path, readings) for path in (*origin.files, *origin.variables, *own)}
    running = [one for one in found if (one.get("State") or {}).get("Running")]
    service = ComposeService(
        node=str(where.get("node") or ""),
        name=name,
        project=project,
        folder=origin.folder,
        files=origin.files,
        variables=origin.variables,
        own=own,
        texts=texts,
        declared=declared,
        image=image.get("Config") or {},
        existed=bool(found),
        ran=bool(running),
        up=origin.command(*_UP, project=project),
        cpus=(readings.file(ONLINE.path).value or "").strip(),
        links={path: target for path in texts for target in readings.links.get(path, {}).values()},
    )
    for container in running if exact else ():
        _same_as_files(node, service, container, image)
    return service


def _config(where: Mapping[str, Any], origin: Origin, readings: Readings) -> tuple[str, Mapping[str, Any]]:
    """Return the project's name, and the service as compose reads its files."""
    node, name = here(str(where.get("node") or "")), str(where["service"])
    said = readings.command(*origin.config.argv)
    if said.value is None or said.value.code != 0:
        why = said.why or (first_line(said.value) if said.value is not None else "no answer")
        message = f"{node}: docker compose cannot read {', '.join(origin.files)}: {why}"
        raise ValueError(message)
    try:
        config = json.loads(said.value.stdout)
        services = config["services"]
        project = origin.project or str(config["name"])
    except (ValueError, LookupError, TypeError, RecursionError):
        message = f"{node}: docker compose config prints no JSON that is understood here"
        raise ValueError(message) from None
    if name not in services:
        message = f"{node}: there is no service {name} in {', '.join(origin.files)}; there are: {', '.join(services)}"
        raise ValueError(message)
    return project, _plain(services[name])


def _own_files(origin: Origin, service: str, readings: Readings) -> tuple[str, ...]:
    """Return the ``env_file:`` of a service, the one that counts first; those of a later file come after the others."""
    found: list[str] = []
    for file in origin.files:
        with suppress(ValueError):
            listed = raw_services(readings.file(file).value or "").get(service, {}).get("env_file")
            for one in listed if isinstance(listed, list) else [listed]:
                path = one.get("path") if isinstance(one, Mapping) else one
                if isinstance(path, str) and "$" not in path:
                    found.append(normpath(join(origin.folder, path)))
    return tuple(reversed(dict.fromkeys(found)))


def _same_origin(node: str, name: str, found: list[Mapping[str, Any]], origin: Origin) -> None:
    for container in found:
        files = config_files(labels_of(container))
        if files != origin.files:
            message = (
                f"{node}: the container of service {name} was started from {', '.join(files) or 'no file'}, "
                f"not from {', '.join(origin.files)}: name those files, or leave file: out"
            )
            raise ValueError(message)


def _same_as_files(node: str, service: ComposeService, container: Mapping[str, Any], image: Mapping[str, Any]) -> None:
    """Refuse a service that could not be brought back: what runs is not what its files would start."""
    config = container.get("Config") or {}
    wrong = _first_difference(service, config)
    if not wrong and image.get("Id") and container.get("Image") and image["Id"] != container["Image"]:
        wrong = f"its image is {str(container['Image'])[:19]}, and {service.declared.get('image')} is another one now"
    if wrong:
        message = (
            f"{node}: what runs as service {service.name} is not what {basename(service.files[-1])} says: {wrong}; it "
            "could not be brought back: bring it up anew as the files are, or mend them"
        )
        raise ValueError(message)


def _first_difference(service: ComposeService, config: Mapping[str, Any]) -> str:
    has, says = _environment(config.get("Env")), service.environment
    for name in sorted({*has, *(name for name, value in says.items() if value is not None)}):
        if has.get(name) != says.get(name):
            one, other = _shown(name, has.get(name)), _shown(name, says.get(name))
            return f"{name} is {one} in the container, {other} by the files (or by the shell that started it)"
    for key, other in (("Entrypoint", service.command["entrypoint"]), ("Cmd", service.command["command"])):
        if (config.get(key) or []) != (other or []):
            return f"its {'entrypoint' if key == 'Entrypoint' else 'command'} is another one"
    return ""


def _image_name(where: Mapping[str, Any], origin: Origin, readings: Readings) -> str:
    """Return the image of a service; one that is built without a name is called after project and service."""
    project, declared = _config(where, origin, readings)
    return str(declared.get("image") or f"{project}-{where['service']}")


def _image(node: str, name: str, readings: Readings) -> Mapping[str, Any]:
    said = readings.command("docker", "image", "inspect", name)
    with suppress(ValueError, LookupError, RecursionError):
        found = json.loads(said.value.stdout if said.value is not None else "")[0]
        if isinstance(found, Mapping):
            return found
    message = f"{node}: the image {name} is not there, and no arm pulls or builds one: get it first"
    raise ValueError(message)


def _is(container: Mapping[str, Any], service: str, project: str) -> bool:
    labels = labels_of(container)
    return labels.get(f"{LABEL}service") == service and labels.get(f"{LABEL}project") == project


def _plain(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Return JSON of ``config`` with ``$`` as it is."""
    if isinstance(value, str):
        return value.replace("$$", "$")
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return {name: _plain(one) for name, one in value.items()} if isinstance(value, dict) else value


def _environment(listed: object) -> dict[str, str | None]:
    pairs = [str(one).partition("=") for one in listed] if isinstance(listed, list) else []
    return {name: value for name, _sign, value in pairs}


def _declared_environment(declared: Mapping[str, Any]) -> dict[str, str | None]:
    return {
        str(name): None if value is None else str(value) for name, value in (declared.get("environment") or {}).items()
    }


def _shown(name: str, value: str | None) -> str:
    return "not set" if value is None else repr(redact_text(f"{name}={value}").partition("=")[2])
