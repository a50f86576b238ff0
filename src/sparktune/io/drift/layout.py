"""What starts a part of a service: which files set it, and how its processes are known. Pure, an entry per launcher."""

__all__ = ["EXTRA_KEYS", "Found", "layout_of"]

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from posixpath import basename, isabs
from typing import Any, Final

from sparktune.deploy.compose_origin import LABEL, origin_of
from sparktune.deploy.compose_seen import compose_reads
from sparktune.deploy.sparkrun_seen import recipe_of, recipe_reads
from sparktune.deploy.unit_seen import unit_files, unit_reads
from sparktune.model.arm_action import ServiceProcess
from sparktune.model.reads import Read, ReadFile, Readings

EXTRA_KEYS: Final = ("log",)
"""Keys of a part that only reading it knows: ``log`` is a file that its server writes."""

_FILE_KEYS: Final = ("file", "files", "script", "env_file", "env_files", "recipe")

_Where = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """``files`` set a part, by path, with the kind of text that each is, "" where it has to be recognised.

    ``part`` is its name in them, "" for all that they start. ``processes`` are how its processes are known, one per
    node; none: by the port at which it listens. ``unit`` is the unit whose journal has its log.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    part: str = ""
    processes: tuple[ServiceProcess, ...] = ()
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """``reads`` is asked with what was answered so far, as launchers are; both raise ValueError."""

    reads: Callable[[_Where, Readings | None], Sequence[Read]]
    found: Callable[[_Where, Readings], Found]
    parts: Callable[[_Where], str]


def layout_of(launcher: str) -> Layout:
    """Return how parts of this launcher are read; one without its own has files, and listens at the endpoint's port."""
    return _LAYOUTS.get(launcher, _PLAIN)


def _compose(where: _Where, readings: Readings) -> Found:
    origin, service = origin_of(where, readings), str(where["service"])
    files = dict.fromkeys(origin.files, "compose") | dict.fromkeys(reversed(origin.variables), "env")
    others = [path for path in readings.files if path not in files and path.startswith("/") and _of_people(path)]
    labels = {f"{LABEL}service": service} | ({f"{LABEL}project": origin.project} if origin.project else {})
    return Found(
        # Of several, compose lets the last one count: the other order than that in which they are asked for.
        files=files | dict.fromkeys(reversed(others), "env"),
        part=service,
        processes=(ServiceProcess(node=str(where.get("node") or ""), labels=labels),),
    )


def _of_people(path: str) -> bool:
    return not path.startswith(("/sys/", "/proc/"))


def _systemd(where: _Where, readings: Readings) -> Found:
    units, variables = unit_files(where, readings)
    name = str(where["unit"])
    return Found(
        files=dict.fromkeys(units, "unit") | dict.fromkeys(variables, "environment"),
        processes=(ServiceProcess(node=str(where.get("node") or ""), unit=name),),
        unit=name,
    )


def _sparkrun(where: _Where, readings: Readings) -> Found:
    recipe = recipe_of(where, readings)
    ids = [one.id for one in recipe.running]
    labels = {"sparkrun.cluster_id": ids[0]} if ids else {"sparkrun.recipe": basename(recipe.path)}
    return Found(
        files={recipe.path: "recipe"},
        processes=tuple(ServiceProcess(node=node, labels=labels) for node in recipe.nodes),
    )


def _plain_files(where: _Where) -> tuple[str, ...]:
    found: list[str] = []
    for key in _FILE_KEYS:
        value = where.get(key)
        found += [str(one) for one in value] if isinstance(value, list | tuple) else [str(value)] if value else []
    return tuple(dict.fromkeys(found))


def _plain_reads(where: _Where, _readings: Readings | None) -> tuple[Read, ...]:
    paths = _plain_files(where)
    if wrong := next((path for path in paths if not isabs(path)), ""):
        message = f"where: {wrong!r} is no whole path"
        raise ValueError(message)
    return tuple(ReadFile(path=path, most_bytes=4 << 20) for path in paths)


def _plain(where: _Where, _readings: Readings) -> Found:
    return Found(files=dict.fromkeys(_plain_files(where), ""))


_PLAIN: Final = Layout(
    reads=_plain_reads, found=_plain, parts=lambda where: str(where.get("name") or "") or _named(_plain_files(where))
)
_LAYOUTS: Final = {
    "compose": Layout(reads=compose_reads, found=_compose, parts=lambda where: str(where.get("service") or "")),
    "systemd": Layout(reads=unit_reads, found=_systemd, parts=lambda where: str(where.get("unit") or "")),
    "sparkrun": Layout(reads=recipe_reads, found=_sparkrun, parts=lambda where: basename(str(where.get("recipe")))),
}


def _named(files: Sequence[str]) -> str:
    return basename(files[0]) if files else ""
