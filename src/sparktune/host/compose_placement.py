"""Which services of a compose file are inference, what their cpuset and control group should be, and the edited text.

Sources: the compose specification for ``cpuset``, ``cgroup_parent``, ``extends`` and variables; moby's
daemon/daemon_unix.go: with systemd as the driver of control groups a parent has to be named as a slice; with cgroupfs
it is a path that systemd knows nothing of.
"""

__all__ = ["Edit", "Placement", "Service", "edit_services", "services_to_place"]

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparktune.formats.compose_edit import raw_services, set_in_services
from sparktune.host.compose import services_of
from sparktune.host.container_cpus import is_inside
from sparktune.host.cpulist import CpuSet, format_cpulist

# Names of slices say where they are: system-a.slice is below system.slice (systemd.slice(5)).
_SLOW_TREES = ("system", "user", "init", "machine")


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The cores that inference gets, and the slice that it has to be in; empty where the cpuset alone decides."""

    cores: CpuSet
    parent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """One inference service of a file: its values as written (merges done), and those that it should get.

    ``obstacle`` says why it cannot be placed, ``kept`` what is left although it differs.
    """

    name: str
    cpuset: str
    parent: str
    wanted: Mapping[str, str] = field(default_factory=dict)
    obstacle: str = ""
    kept: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """The text after all edits that can be made, and by service why others cannot."""

    text: str
    failed: Mapping[str, str] = field(default_factory=dict)


def services_to_place(text: str, path: str, named: frozenset[str], placement: Placement) -> tuple[Service, ...]:
    """Return the inference services that a file declares, in its order.

    ``named`` are names of services, or of their containers, that are known to be inference. Raises ValueError when the
    text is no compose file.
    """
    raw = raw_services(text)
    engines = {one.name for one in services_of(text, path, {}) if one.engine is not None}
    return tuple(
        _service(name, settings, placement)
        for name, settings in raw.items()
        if _is_meant(name, raw, engines, named) and _declares(settings)
    )


def _is_meant(name: str, raw: Mapping[str, Mapping[Any, Any]], engines: set[str], named: frozenset[str]) -> bool:
    seen: set[str] = set()
    while name in raw and name not in seen:
        if name in engines or name in named or str(raw[name].get("container_name", "")) in named:
            return True
        seen.add(name)
        name = _extended(raw[name].get("extends"))
    return False


def _extended(extends: Any) -> str:  # noqa: ANN401 - what the file's author wrote
    """Return the service of the same file that one extends."""
    if isinstance(extends, dict):
        return "" if extends.get("file") else str(extends.get("service", ""))
    return str(extends or "")


def _declares(settings: Mapping[Any, Any]) -> bool:
    """Whether this file makes the service, or places it; one that only adds a variable leaves that to another file."""
    return bool({"image", "build", "extends", "cpuset"} & {str(key) for key in settings})


def _service(name: str, settings: Mapping[Any, Any], placement: Placement) -> Service:
    cpuset, parent = (_text(settings.get(key)) for key in ("cpuset", "cgroup_parent"))
    wanted, obstacle, kept = {}, "", ""
    if not is_inside(cpuset, placement.cores):
        wanted["cpuset"] = format_cpulist(placement.cores)
    if placement.parent and not parent:
        wanted["cgroup_parent"] = placement.parent
    elif placement.parent and not _is_below(parent, placement.parent):
        words = f"its cgroup_parent is {parent[:60]}"
        tree = parent.removesuffix(".slice").partition("-")[0]
        if tree in _SLOW_TREES or not parent.endswith(".slice"):
            obstacle = f"{words}, which may get efficiency cores only, and is not replaced"
        else:
            kept = f"{words}, a slice of its own, and stays"
    return Service(name=name, cpuset=cpuset, parent=parent, wanted=wanted, obstacle=obstacle, kept=kept)


def _text(value: Any) -> str:  # noqa: ANN401 - see above
    return "" if value is None else str(value)


def _is_below(parent: str, wanted: str) -> bool:
    return parent == wanted or parent.startswith(f"{wanted.removesuffix('.slice')}-")


def edit_services(text: str, services: tuple[Service, ...]) -> Edit:
    """Set what services want; those that share parts of the file are edited together where one by one cannot be."""
    failed = {one.name: one.obstacle for one in services if one.obstacle}
    wanted = {one.name: one.wanted for one in services if one.wanted and not one.obstacle}
    if not wanted:
        return Edit(text=text, failed=failed)
    try:
        return Edit(text=set_in_services(text, wanted), failed=failed)
    except ValueError:
        return _one_by_one(text, wanted, failed)


def _one_by_one(text: str, wanted: Mapping[str, Mapping[str, str]], failed: dict[str, str]) -> Edit:
    edited = text
    for name, values in wanted.items():
        try:
            edited = set_in_services(edited, {name: values})
        except ValueError as error:
            failed[name] = str(error).removeprefix(f"service {name}: ")
    return Edit(text=edited, failed=failed)
