"""A systemd unit as it was seen on its node: its files in the order in which they count, and what they come to.

Sources: systemd.unit(5): drop-ins of all folders are read after the unit, sorted by their names; an empty assignment
clears a list. systemd.exec(5): ``EnvironmentFile=`` goes before ``Environment=``, ``UnsetEnvironment=`` before both.
systemd.service(5): ``Restart=``, ``Type=``. ``systemctl show``: FragmentPath, DropInPaths, NeedDaemonReload.
"""

__all__ = ["KEYS", "Unit", "unit_files", "unit_of", "unit_reads"]

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from posixpath import basename
from typing import Any, Final

from sparktune.deploy.services import first_line, here, part_of, text_of_file
from sparktune.deploy.texts import document
from sparktune.model.document import Document
from sparktune.model.reads import Read, ReadCommand, ReadFile, Readings

KEYS: Final = ("node", "unit")
_DROP_IN: Final = "90-sparktune-arm.conf"
_SHOWN: Final = (
    "Id,LoadState,LoadError,ActiveState,FragmentPath,DropInPaths,EnvironmentFiles,Environment,UnsetEnvironment,"
    "NeedDaemonReload,Type,RemainAfterExit,Restart,SuccessExitStatus,ExecMainStatus"
)
_RUNS: Final = ("active", "activating", "reloading", "deactivating")
_TRANSIENT: Final = "/run/systemd/transient/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One unit. ``own`` is its file of this experiment's settings, ``files`` the others, the one that counts last last.

    ``env_files`` likewise, of ``EnvironmentFile=``. ``texts`` has all of them, None for one that is not there.
    ``command`` is the text of the ``ExecStart=`` that counts; ``environment`` what the process is started with.
    """

    node: str
    name: str
    own: str
    files: tuple[str, ...]
    env_files: tuple[str, ...]
    texts: Mapping[str, str | None]
    command: str
    environment: Mapping[str, str]
    ran: bool

    def later(self, key: str) -> str:
        """Return the drop-in that goes before ours and sets a key, "" without one."""
        for path in reversed(self.files[1:]):
            if basename(path) > _DROP_IN and any(
                entry.name == key for entry in document("unit", path, self.texts[path] or "").entries
            ):
                return path
        return ""


def unit_reads(where: Mapping[str, Any], readings: Readings | None) -> tuple[Read, ...]:
    """Return what is to be read of a part's node, when this was seen of it. Raises ValueError."""
    name = part_of(where, KEYS, ("unit",))["unit"]
    if name.startswith("-") or "/" in name:
        message = f"where: {name!r} is no name of a unit"
        raise ValueError(message)
    show = _show(name)
    if readings is None or readings.command(*show.argv).value is None:
        return (show,)
    shown = _properties(where, readings)
    paths = [*_files(shown), *_env_files(shown), _own(shown)]
    return (show, *(ReadFile(path=path) for path in paths if path))


def unit_files(where: Mapping[str, Any], readings: Readings) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the files of a unit, the one that counts last last, and those of its variables. Raises ValueError.

    Also those of a unit that could not be set, and an experiment's own, which is no fault of whoever only looks.
    """
    shown = _properties(where, readings)
    own = (_own(shown),) if readings.file(_own(shown)).value is not None else ()
    return (*_files(shown), *own), _env_files(shown)


def unit_of(where: Mapping[str, Any], readings: Readings) -> Unit:
    """Return a unit as it was seen. Raises ValueError, with the node, for what stands against setting it."""
    shown, node = _properties(where, readings), here(str(where.get("node") or ""))
    name, own = shown["Id"][0], _own(shown)
    _refuse(node, name, shown)
    files, env_files = _files(shown), _env_files(shown)
    texts = {path: text_of_file(node, path, readings) for path in (*files, *env_files, own)}
    if texts[own] is not None:
        message = f"{node}: {own} is there already: an experiment was not taken back; see sparktune host status"
        raise ValueError(message)
    return Unit(
        node=str(where.get("node") or ""),
        name=name,
        own=own,
        files=files,
        env_files=env_files,
        texts=texts,
        command=_command(node, name, files, texts),
        environment=_environment(shown, env_files, texts),
        ran=shown["ActiveState"][0] in _RUNS,
    )


def _show(name: str) -> ReadCommand:
    return ReadCommand(argv=("systemctl", "show", "-p", _SHOWN, name))


def _properties(where: Mapping[str, Any], readings: Readings) -> dict[str, list[str]]:
    node, name = here(str(where.get("node") or "")), str(where["unit"])
    said = readings.command(*_show(name).argv)
    if said.value is None or said.value.code != 0:
        why = said.why or ("there is no systemd" if said.value is None else first_line(said.value))
        message = f"{node}: unit {name} cannot be read: {why}"
        raise ValueError(message)
    found: dict[str, list[str]] = {key: [] for key in _SHOWN.split(",")}
    for line in said.value.stdout.splitlines():
        key, sign, value = line.partition("=")
        if sign and key in found:
            found[key].append(value)
    found = {key: values or [""] for key, values in found.items()}
    if found["LoadState"][0] != "loaded":
        message = f"{node}: unit {name} is {found['LoadState'][0] or 'unknown'}: name one that systemctl status knows"
        raise ValueError(message)
    return found


def _refuse(node: str, name: str, shown: Mapping[str, list[str]]) -> None:
    path, kind = shown["FragmentPath"][0], shown["Type"][0]
    why = ""
    if shown["NeedDaemonReload"][0] == "yes":
        why = "its files were edited and systemd has not read them: what runs is not what they say (daemon-reload)"
    elif path.startswith(_TRANSIENT) or not path:
        why = "it has no file of its own (systemd-run?), and is gone when it stops"
    elif kind == "oneshot":
        code = shown["ExecMainStatus"][0]
        ended = f", with exit code {code}" if code not in {"", "0"} else ""
        why = (
            f"it is of Type=oneshot: its program ends{ended}, and what serves is no process of it; set the arms "
            "where that is started (launcher compose or attach)"
        )
    if why:
        message = f"{node}: unit {name} cannot be set: {why}"
        raise ValueError(message)


def _files(shown: Mapping[str, list[str]]) -> tuple[str, ...]:
    drop_ins = sorted(shown["DropInPaths"][0].split(), key=basename)
    return (shown["FragmentPath"][0], *(path for path in drop_ins if basename(path) != _DROP_IN))


def _env_files(shown: Mapping[str, list[str]]) -> tuple[str, ...]:
    paths = (one.partition(" (")[0] for one in shown["EnvironmentFiles"])
    return tuple(path for path in paths if path and not any(sign in path for sign in "*?["))


def _own(shown: Mapping[str, list[str]]) -> str:
    return f"/etc/systemd/system/{shown['Id'][0]}.d/{_DROP_IN}"


def _command(node: str, name: str, files: tuple[str, ...], texts: Mapping[str, str | None]) -> str:
    commands: list[str] = []
    for path in files:
        for entry in _read(path, texts).entries:
            if (entry.part, entry.kind, entry.name) == ("Service", "key", "ExecStart"):
                commands = [*commands, entry.text] if entry.text else []
    if len(commands) == 1:
        return commands[0]
    message = f"{node}: unit {name} has {len(commands)} lines ExecStart= that count, and one is needed"
    raise ValueError(message)


def _read(path: str, texts: Mapping[str, str | None]) -> Document:
    return document("unit", path, texts[path] or "")


def _environment(
    shown: Mapping[str, list[str]], env_files: tuple[str, ...], texts: Mapping[str, str | None]
) -> dict[str, str]:
    """Return what the process is started with, as far as the files say."""
    found = _pairs(shown["Environment"][0])
    for path in env_files:
        for entry in document("environment", path, texts[path] or "").entries:
            if entry.kind == "env" and entry.text is not None:
                found[entry.name] = entry.text
    gone = set(shown["UnsetEnvironment"][0].split())
    return {name: value for name, value in found.items() if name not in gone and f"{name}={value}" not in gone}


def _pairs(line: str) -> dict[str, str]:
    try:
        words = shlex.split(line)
    except ValueError:
        words = line.split()
    return {name: value for name, sign, value in (word.partition("=") for word in words) if sign}
