"""A service that was started by hand: its files are edited, its own commands stop and start it, its process is read.

An arm: ``{env: {NAME: value}, flags: {--parallel: 8}, wait_s: 900}``. ``where`` is one part, on this machine:
``{file: [/srv/x/service.env, /srv/x/serve.sh], start: ["./serve.sh", "start"], stop: ["./serve.sh", "stop"], folder:
/srv/x}``. A value is changed in the file where it is written; of several the last one named counts. ``start`` has to
end once it has started the service; without ``stop`` the process that listens at the endpoint's port is asked to end.

A service of another node that nobody but a person starts is refused: what is started over a link has to be found again
when the link is gone, and a unit of systemd is.
"""

__all__ = ["LAUNCHER"]

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from sparktune.deploy.launchers._shared import argv_of, live_readers
from sparktune.deploy.script_files import ScriptFiles
from sparktune.deploy.services import (
    part_of,
    service_settings,
    wanted_names,
    wanted_of,
)
from sparktune.model.arm_action import (
    Action,
    Apply,
    AwaitAnswer,
    AwaitMemory,
    EndService,
    KillService,
    RunCommand,
    ServiceProcess,
)
from sparktune.model.launcher import ArmPlan, ArmSpec, Launcher, LiveService, Seen
from sparktune.model.reads import Read, ReadFile, Readings, ReadLinks

_KNOWN: Final = ("env", "flags")
_KEYS: Final = ("node", "file", "start", "stop", "folder", "port")
_COMMANDS: Final = ("start", "stop")
_HERE: Final = ("", "local")
_TABLES: Final = ("/proc/net/tcp", "/proc/net/tcp6")
_STATE, _LISTENS = 3, "0A"
_STOP_S: Final = 120.0
_MOST_PORT: Final = 65535


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A part as ``where`` has it; ``files`` are whole paths, ``stop`` is () where the process is asked to end."""

    files: tuple[str, ...]
    start: tuple[str, ...]
    stop: tuple[str, ...]
    folder: str
    service: ServiceProcess


def _check(spec: ArmSpec) -> None:
    _place(spec)
    for arm in spec.arms:
        service_settings(spec, arm, _KNOWN)
        live_readers(spec.arms, spec.live, arm)


def _reads(spec: ArmSpec, _seen: Seen) -> Mapping[str, tuple[Read, ...]]:
    files = _place(spec).files
    tables = tuple(ReadFile(path=path, most_bytes=4 << 20) for path in _TABLES)
    return {"": (*tables, *(ReadFile(path=path) for path in files), *(ReadLinks(pattern=path) for path in files))}


def _plan(spec: ArmSpec, seen: Seen, arm: str) -> ArmPlan:
    settings, place = service_settings(spec, arm, _KNOWN), _place(spec)
    files = ScriptFiles(place.files, seen.get("", Readings()))
    for name, value in settings.env.items():
        files.write("env", name, value)
    for name, value in settings.flags.items():
        files.write("flag", name, value)
    starting = RunCommand(argv=place.start, folder=place.folder, limit_s=settings.wait_s)
    applied = (Apply(node="", steps=steps),) if (steps := files.texts.steps()) else ()
    flags, env = wanted_names(spec, "flags"), wanted_names(spec, "env")
    live = LiveService(
        service=place.service,
        flags=wanted_of(settings.flags, flags, files.before("flag", flags, settings.flags)),
        environment=wanted_of(settings.env, env, files.before("env", env, settings.env)),
    )
    return ArmPlan(
        actions=(*applied, starting, AwaitAnswer(limit_s=settings.wait_s)),
        readers=(live, *live_readers(spec.arms, spec.live, arm)),
        takes="restart",
        leave=_ended(place),
        kill=(KillService(service=place.service),),
    )


def _begin(spec: ArmSpec, seen: Seen) -> tuple[Action, ...]:
    return _ended(_place(spec)) if _ran(spec, seen) else ()


def _original(spec: ArmSpec, seen: Seen) -> tuple[Action, ...]:
    if not _ran(spec, seen):
        return ()
    place = _place(spec)
    wait_s = service_settings(spec, "A" if "A" in spec.arms else next(iter(spec.arms)), _KNOWN).wait_s
    return (RunCommand(argv=place.start, folder=place.folder, limit_s=wait_s), AwaitAnswer(limit_s=wait_s))


def _ended(place: _Place) -> tuple[Action, ...]:
    """Stop it by its own command, then see to it that nothing listens there any more; its memory has to come back."""
    command = RunCommand(argv=place.stop, folder=place.folder, limit_s=_STOP_S) if place.stop else None
    return (EndService(service=place.service, command=command), AwaitMemory(service=place.service))


def _ran(spec: ArmSpec, seen: Seen) -> bool:
    """Tell whether anybody listens at the port. Source: proc_net(5)."""
    port, readings = f":{_place(spec).service.port:04X}", seen.get("", Readings())
    lines = [line.split() for table in _TABLES for line in (readings.file(table).value or "").splitlines()[1:]]
    return any(len(fields) > _STATE and fields[1].endswith(port) and fields[_STATE] == _LISTENS for fields in lines)


def _place(spec: ArmSpec) -> _Place:
    if len(spec.where) != 1:
        message = (
            f"where: one part, not {len(spec.where)}, like {{file: /srv/x/service.env, start: [./serve.sh]}}; "
            "of a service on several nodes each part is a unit or a container"
        )
        raise ValueError(message)
    where = spec.where[0]
    texts = {key: value for key, value in where.items() if key not in _COMMANDS}
    said = part_of(texts, tuple(key for key in _KEYS if key not in _COMMANDS), ())
    if said.get("node", "") not in _HERE:
        message = (
            f"where: {said['node']} is not this machine: a service that is started by hand there is not started from "
            "here; make it a systemd unit, and use launcher: systemd"
        )
        raise ValueError(message)
    files = _files(where.get("file"))
    if not where.get("start"):
        message = "where: start is missing, the command that starts the service, like [./serve.sh, start]"
        raise ValueError(message)
    stop = argv_of(where["stop"], "where: stop") if where.get("stop") else ()
    service = ServiceProcess(node="", port=_port(said.get("port", ""), spec.endpoint))
    return _Place(
        files=files,
        start=argv_of(where["start"], "where: start"),
        stop=stop,
        folder=said.get("folder", ""),
        service=service,
    )


def _files(given: Any) -> tuple[str, ...]:  # noqa: ANN401 - what the file's author wrote
    listed = given if isinstance(given, list | tuple) else [given] if given else []
    files = tuple(map(str, listed))
    wrong = next((one for one in files if not one.startswith("/")), None)
    if wrong is not None or not files:
        what = f"{wrong!r} is no whole path" if wrong else "file is missing"
        message = f"where: {what}: name the files that set the service, like /srv/x/service.env"
        raise ValueError(message)
    return files


def _port(said: str, endpoint: str) -> int:
    if said:
        port = int(said) if said.isascii() and said.isdecimal() else 0
    else:
        split = urlsplit(endpoint if "://" in endpoint else f"http://{endpoint}")
        try:
            port = split.port or {"https": 443}.get(split.scheme, 80)
        except ValueError:
            port = 0
    if not 0 < port <= _MOST_PORT:
        message = f"where: port {said or endpoint!r} is no port at which the service listens"
        raise ValueError(message)
    return port


LAUNCHER = Launcher(
    id="script",
    title="a service that is started by hand",
    check=_check,
    plan=_plan,
    original=_original,
    reads=_reads,
    begin=_begin,
)
