"""The files that give a systemd unit an arm's settings: a drop-in, and the ``EnvironmentFile=`` where a variable is.

The unit's own file is never touched. Where an arm says nothing there is no drop-in.

Sources: systemd.service(5): an empty ``ExecStart=`` clears what was there; ``$`` is written ``$$``. systemd.unit(5):
``%`` is written ``%%``. systemd.exec(5): ``Environment=`` and its quotes; ``UnsetEnvironment=`` is done last.
"""

__all__ = ["flags_before", "set_unit"]

import re
from collections.abc import Iterable
from typing import Final

from sparktune.deploy.services import ServiceSettings, here
from sparktune.deploy.texts import Texts, document
from sparktune.deploy.unit_seen import Unit

_HEAD: Final = "# An arm of an experiment by sparktune, whose journal on this node can take it away again.\n[Service]\n"
_WORD_OF_VARIABLE: Final = re.compile(r"\$(?:\{)?([A-Za-z_][A-Za-z0-9_]*)\}?", re.ASCII)


def set_unit(unit: Unit, texts: Texts, settings: ServiceSettings) -> None:
    """Edit the texts so that a unit has these settings. Raises ValueError, with the place, where that cannot be."""
    lines: list[str] = []
    for name, value in settings.env.items():
        path = next((one for one in reversed(unit.env_files) if _has(texts, one, name)), "")
        if value is None:
            lines.append(f"UnsetEnvironment={name}\n")
        elif path:
            texts.write("environment", path, ("", "env", name), value)
        else:
            lines.append(f'Environment="{name}={_quoted(value)}"\n')
    if settings.flags:
        _refuse_later(unit, "ExecStart", "flags")
        lines.append(f"ExecStart=\nExecStart={_command(unit, settings)}\n")
    elif settings.env:
        _refuse_later(unit, "UnsetEnvironment", "env")
    if lines:
        texts.put(unit.own, "".join((_HEAD, *lines)))


def flags_before(unit: Unit, names: Iterable[str]) -> dict[str, str | None]:
    """Return flags as the unit's files have them, "" for one without a value.

    Raises ValueError for one that is inside a variable.
    """
    _refuse_hidden(unit, names)
    entries = document("unit", unit.own, _unit_text(unit.command)).entries
    return {entry.name: _plain(unit, entry.text or "") for entry in entries if entry.kind == "flag"}


def _command(unit: Unit, settings: ServiceSettings) -> str:
    _refuse_hidden(unit, settings.flags)
    edited = Texts({unit.own: _unit_text(unit.command)})
    for name, value in settings.flags.items():
        found = edited.entry("unit", unit.own, ("Service", "flag", name))
        if found is None and value is None:
            continue
        written = None if value is None else _escaped(value)
        edited.write("unit", unit.own, ("Service", "flag", found.name if found else name), written)
    return edited.text(unit.own).partition("ExecStart=")[2].strip("\n")


def _unit_text(command: str) -> str:
    return f"[Service]\nExecStart={command}\n"


def _has(texts: Texts, path: str, name: str) -> bool:
    return texts.entry("environment", path, ("", "env", name)) is not None


def _refuse_later(unit: Unit, key: str, what: str) -> None:
    path = unit.later(key)
    if path:
        where = f"{here(unit.node)}: {path}"
        message = f"{where} sets {key} and is read after the arm's drop-in: {what} would not reach {unit.name}"
        raise ValueError(message)


def _refuse_hidden(unit: Unit, names: Iterable[str]) -> None:
    """Refuse flags that are words of a variable: a second one beside them would decide, or be refused by the server."""
    for variable in _WORD_OF_VARIABLE.findall(unit.command):
        words = unit.environment.get(variable, "").replace("=", " ").split()
        hidden = next((name for name in names if name in words), "")
        if hidden:
            message = f"{here(unit.node)}: {unit.name} has {hidden} in the variable {variable}: set that one, by env:"
            raise ValueError(message)


def _plain(unit: Unit, text: str) -> str:
    """Return a word of ExecStart= as the process gets it."""
    filled = _WORD_OF_VARIABLE.sub(lambda found: unit.environment.get(found[1], ""), text.replace("$$", "\0"))
    return filled.replace("\0", "$").replace("%%", "%")


def _escaped(value: str) -> str:
    return value.replace("$", "$$").replace("%", "%%")


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
