"""``--where``, ``--a`` and ``--b`` for launchers of services, as an experiment file would have them."""

__all__ = ["SERVICES", "SETTINGS", "arm_values", "where_values"]

import difflib
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from sparktune.deploy.launchers import all_launchers
from sparktune.errors import UsageError
from sparktune.io.cluster import LOCAL

SERVICES: Final = {
    "compose": ("NODE:FILE:SERVICE", ("file", "service")),
    "systemd": ("NODE:UNIT", ("unit",)),
    "sparkrun": ("NODE:RECIPE[:CLUSTER]", ("recipe", "cluster")),
}
"""By launcher: the form of --where for people, and the keys that follow the node."""

SETTINGS: Final = frozenset({*SERVICES, "script"})
"""Launchers whose arms are settings by name; where a script is, sparktune.yaml or an experiment file has to say."""

_PATHS: Final = ("file", "recipe")
_OPTIONAL: Final = ("cluster",)
_KINDS: Final = {"env": "env", "flag": "flags", "key": "keys", "option": "options"}
_ARGS: Final = "args"


def where_values(texts: Iterable[str], launcher: str) -> list[dict[str, str]]:
    """Return the parts of a service; a path on this machine is made a whole one. Raises UsageError."""
    given = list(texts)
    if given and launcher not in SERVICES:
        raise _no_service(launcher)
    return [_part(text, launcher) for text in given]


def arm_values(text: str, launcher: str, flag: str) -> dict[str, Any]:
    """Return the settings that ``env:NAME=1 flag:--x=8 flag:--y key:cpuset=0-3`` names. Raises UsageError."""
    found: dict[str, Any] = {}
    for word in _words(text, flag):
        kind, _, rest = word.partition(":")
        if kind == _ARGS:
            found["executor_args"] = rest
            continue
        name, sign, value = rest.partition("=")
        if kind not in _KINDS or not name or (not sign and kind != "flag"):
            message = f"{flag}: {word!r} is no setting"
            hint = "for instance env:NAME=1, flag:--max-num-seqs=8, flag:--enable-x; more is said in a file"
            raise UsageError(message, hint=f"{hint} (launcher: {launcher})")
        found.setdefault(_KINDS[kind], {})[name] = value if sign else True
    return found


def _part(text: str, launcher: str) -> dict[str, str]:
    form, keys = SERVICES[launcher]
    node, *rest = text.split(":")
    needed = [key for key in keys if key not in _OPTIONAL]
    if not len(needed) <= len(rest) <= len(keys) or not all(rest):
        message = f"--where {text!r} is not {form}"
        raise UsageError(message, hint=f"this machine is {LOCAL}; a file can say more, like several compose files")
    here = node in {"", LOCAL}
    found = dict(zip(keys, rest, strict=False))
    whole = {key: str(Path(value).absolute()) for key, value in found.items() if here and key in _PATHS}
    return {"node": "" if here else node, **found, **whole}


def _no_service(launcher: str) -> UsageError:
    if launcher and launcher not in {one.id for one in all_launchers()}:
        near = difflib.get_close_matches(launcher, SERVICES, n=1)
        hint = f"did you mean {near[0]}?" if near else f"--where goes with --launcher {', '.join(SERVICES)}"
        return UsageError(f"--launcher: there is no launcher {launcher!r}", hint=hint)
    if launcher in SETTINGS:
        message = f"--where has no form for launcher {launcher}: its files and commands are more than a word says"
        return UsageError(message, hint="write where: in an experiment file, or of the service in sparktune.yaml")
    message = f"--where says where a service is set, and launcher {launcher or '(none)'} sets none"
    return UsageError(message, hint=f"it goes with --launcher {', '.join(SERVICES)}")


def _words(text: str, flag: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        message = f"{flag}: {error} in {text!r}"
        raise UsageError(message, hint="close the quote") from None
