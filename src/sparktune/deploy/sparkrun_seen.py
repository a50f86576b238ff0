"""A sparkrun recipe as it was seen on its node, and how an arm of it is started.

Sources: sparkrun 0.4.2, its CLI and its labels (``sparkrun.cluster_id``, ``.recipe``). Two arms that differ in
``-o`` or ``-e`` share a cluster id and the names of containers, so that arms are told apart by labels of ours.
``{key}`` in a recipe's command is fed by ``-o key=value``; one that it does not use is dropped with a warning.
``--executor-args`` is handed to ``docker run`` and recorded nowhere, neither in the job file nor by ``export
running-recipe``: what runs is compared with what arm A says, since nothing else could bring it back.
"""

__all__ = ["KEYS", "Recipe", "recipe_of", "recipe_reads"]

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from posixpath import basename, isabs, normpath
from typing import Any, Final

from sparktune.deploy.services import (
    CONTAINERS,
    ONLINE,
    containers_of,
    first_line,
    here,
    labels_of,
    part_of,
    text_of_file,
)
from sparktune.deploy.texts import document
from sparktune.model.reads import Read, ReadCommand, ReadFile, Readings

KEYS: Final = ("node", "recipe", "cluster", "nodes")
_ID: Final = re.compile(r"sparkrun_[0-9a-f]{8,32}_[0-9a-f]{8,32}")
_PLACEHOLDER: Final = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A workload of the recipe that runs; ``overrides``: the defaults with which sparkrun says it was started."""

    id: str
    cpuset: str
    overrides: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """One recipe. ``node`` is where sparkrun is run, and the first of ``nodes``, which its ranks run on.

    ``flags`` are those of its command as written (``{key}`` and all), ``defaults`` what feeds them, ``env`` its
    variables. ``cpus`` are the node's.
    """

    node: str
    nodes: tuple[str, ...]
    path: str
    cluster: str
    text: str
    flags: Mapping[str, str | None]
    defaults: Mapping[str, str | None]
    env: Mapping[str, str | None]
    running: tuple[Running, ...]
    cpus: str

    @property
    def has_command(self) -> bool:
        """Whether it says its command itself; else sparkrun makes one of the defaults."""
        return any(entry.kind == "key" and entry.name == "command" for entry in _entries(self.path, self.text))

    def keys_of(self, flag: str) -> tuple[str, ...]:
        """Return the keys that feed a flag's value."""
        return tuple(_PLACEHOLDER.findall(self.flags.get(flag) or ""))

    def filled(self, flag: str, options: Mapping[str, str]) -> str | None:
        """Return a flag's value with defaults and options filled in; None where the recipe has no such flag."""
        if flag not in self.flags:
            return None
        known = {**self.defaults, **options}
        return _PLACEHOLDER.sub(lambda found: known.get(found[1]) or found[0], self.flags[flag] or "")


def recipe_reads(where: Mapping[str, Any], readings: Readings | None) -> tuple[Read, ...]:
    """Return what is to be read of a part's node, when this was seen of it. Raises ValueError."""
    path = part_of(where, KEYS, ("recipe",))["recipe"]
    if not isabs(path):
        message = f"where: recipe {path!r} is no whole path: what is set in a recipe has to be read, and seen to be so"
        raise ValueError(message)
    first = (CONTAINERS, ONLINE, ReadFile(path=normpath(path)))
    if readings is None or readings.command(*CONTAINERS.argv).value is None:
        return first
    return (*first, *(_exported(one, where) for one in _ids(where, readings)))


def recipe_of(where: Mapping[str, Any], readings: Readings) -> Recipe:
    """Return a recipe as it was seen. Raises ValueError, with the node, for what stands against setting it."""
    name, path = str(where.get("node") or ""), normpath(str(where["recipe"]))
    node, text = here(name), text_of_file(here(name), path, readings)
    if text is None:
        message = f"{node}: there is no recipe {path}"
        raise ValueError(message)
    entries = _entries(path, text)
    others = where.get("nodes")
    return Recipe(
        node=name,
        nodes=tuple(dict.fromkeys((name, *map(str, others)))) if isinstance(others, list | tuple) else (name,),
        path=path,
        cluster=str(where.get("cluster") or ""),
        text=text,
        flags={one.name: one.text for one in entries if one.kind == "flag"},
        defaults={one.name: one.text for one in entries if one.kind == "default"},
        env={one.name: one.text for one in entries if one.kind == "env"},
        running=tuple(_running(one, where, readings) for one in _ids(where, readings)),
        cpus=(readings.file(ONLINE.path).value or "").strip(),
    )


def _entries(path: str, text: str) -> Any:  # noqa: ANN401 - tuple of Entry
    return document("recipe", path, text).entries


def _ids(where: Mapping[str, Any], readings: Readings) -> tuple[str, ...]:
    """Return the workloads of this recipe that run on the node."""
    wanted = basename(str(where["recipe"]))
    found = [
        labels.get("sparkrun.cluster_id", "")
        for container in containers_of(here(str(where.get("node") or "")), readings)
        if (container.get("State") or {}).get("Running")
        and basename((labels := labels_of(container)).get("sparkrun.recipe", "")) == wanted
    ]
    return tuple(dict.fromkeys(one for one in found if _ID.fullmatch(one)))


def _exported(workload: str, where: Mapping[str, Any]) -> ReadCommand:
    cluster = f"--cluster={where['cluster']}" if where.get("cluster") else ""
    words = ("sparkrun", "export", "running-recipe", workload, *((cluster,) if cluster else ()), "--json")
    return ReadCommand(argv=words, limit_s=60.0)


def _running(workload: str, where: Mapping[str, Any], readings: Readings) -> Running:
    node = here(str(where.get("node") or ""))
    container = next(
        one for one in containers_of(node, readings) if labels_of(one).get("sparkrun.cluster_id") == workload
    )
    said = readings.command(*_exported(workload, where).argv)
    why = said.why or ("there is no sparkrun" if said.value is None else first_line(said.value))
    overrides = None
    if said.value is not None and said.value.code == 0:
        with suppress(ValueError, AttributeError, RecursionError):
            overrides = json.loads(said.value.stdout).get("defaults")
        why = "it prints no defaults"
    if not isinstance(overrides, Mapping):
        message = f"{node}: sparkrun does not say how {workload} was started: {why}"
        raise ValueError(message)  # noqa: TRY004 - the launcher's contract
    cpuset = str((container.get("HostConfig") or {}).get("CpusetCpus") or "")
    return Running(id=workload, cpuset=cpuset, overrides=overrides)
