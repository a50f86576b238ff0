"""The containers, the unit and the processes of one service on one node, from what was read there. Pure.

Sources: systemctl(1) show and org.freedesktop.systemd1(5); proc_pid_stat(5): fields are counted behind the last
``)``. A process belongs to a container when its control group names the container's id, however it was put there
(``docker exec``), or when it descends from the container's first process; to a unit likewise. A plain process is the
one that listens at its port, with all that descends from it.
"""

__all__ = [
    "NodeProcess",
    "ServiceFacts",
    "ServiceUnit",
    "descendants",
    "service_facts",
    "service_reads",
]

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sparktune.host.service.containers import ServiceContainer, containers_seen, ps_command
from sparktune.host.service.sockets import TABLES, listening_sockets
from sparktune.model.arm_action import ServiceProcess
from sparktune.model.observed import Observed
from sparktune.model.reads import CommandOutput, Read, ReadCommand, ReadFile, ReadFiles, Readings, ReadLinks
from sparktune.units import Bytes

_INSPECT: Final = ("docker", "inspect")
_MOST_BYTES: Final[Bytes] = 8 * 1024 * 1024
_PROPERTIES: Final = "Id,LoadState,ActiveState,SubState,Result,MainPID,ControlGroup,ExecMainStatus,NRestarts,Restart"
_STAT, _CMDLINE, _CGROUP = "/proc/[0-9]*/stat", "/proc/[0-9]*/cmdline", "/proc/[0-9]*/cgroup"
_FDS: Final = "/proc/[0-9]*/fd/*"
_STATE, _PARENT, _STARTED = 0, 1, 19
_DEAD: Final = frozenset({"Z", "X"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceUnit:
    """One unit as systemd has it; ``exit_code`` of its last main process, None when it had none."""

    name: str
    loaded: bool
    active: str
    sub: str = ""
    result: str = ""
    main_pid: int = 0
    group: str = ""
    exit_code: int | None = None
    restarts: int = 0
    restart: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeProcess:
    """One living process of the node; ``groups`` is the whole text of its control groups."""

    pid: int
    parent: int
    start_ticks: int
    name: str
    argv: tuple[str, ...] = ()
    groups: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceFacts:
    """What a node has of a service. ``unknown`` says why containers or the unit could not be seen, "" when they were.

    ``processes`` are those of the service, ``others`` all the rest.
    """

    node: str
    containers: tuple[ServiceContainer, ...] = ()
    unit: ServiceUnit | None = None
    processes: tuple[NodeProcess, ...] = ()
    others: tuple[NodeProcess, ...] = ()
    unknown: str = ""


def service_reads(service: ServiceProcess) -> tuple[Read, ...]:
    """Return what has to be read to see a service."""
    reads: list[Read] = [ReadFiles(pattern=pattern) for pattern in (_STAT, _CMDLINE, _CGROUP)]
    if service.labels:
        listing = ps_command(service.labels, stopped=True)
        reads.append(ReadCommand(argv=_INSPECT, arguments_from=listing, most_bytes=_MOST_BYTES))
    if service.unit:
        reads.append(ReadCommand(argv=_show(service.unit)))
    if service.port:
        reads += [
            ReadLinks(pattern=_FDS),
            *(ReadFile(path=f"/proc/net/{table}", most_bytes=4 << 20) for table in TABLES),
        ]
    return tuple(reads)


def service_facts(service: ServiceProcess, readings: Readings) -> ServiceFacts:
    """Return what the node has of the service."""
    unknown: list[str] = []
    containers = containers_seen(readings.command(*_INSPECT), unknown) if service.labels else ()
    unit = _unit(service.unit, readings.command(*_show(service.unit)), unknown) if service.unit else None
    living = _living(readings)
    mine = _mine(living, containers, unit) | descendants(_listening(service.port, readings), living)
    return ServiceFacts(
        node=service.node,
        containers=containers,
        unit=unit,
        processes=tuple(one for one in living if one.pid in mine),
        others=tuple(one for one in living if one.pid not in mine),
        unknown="; ".join(unknown),
    )


def descendants(roots: Collection[int], processes: Sequence[NodeProcess]) -> set[int]:
    """Return these processes and all that descend from them."""
    found = {one.pid for one in processes if one.pid in roots}
    while more := {one.pid for one in processes if one.parent in found and one.pid not in found}:
        found |= more
    return found


def _mine(
    living: Sequence[NodeProcess], containers: Sequence[ServiceContainer], unit: ServiceUnit | None
) -> frozenset[int]:
    roots = {one.pid for one in containers if one.pid} | ({unit.main_pid} if unit and unit.main_pid else set())
    marks = [one.id for one in containers]
    inside = {one.pid for one in living if any(mark in one.groups for mark in marks)}
    if unit and unit.group:
        inside |= {one.pid for one in living if _below(unit.group, one.groups)}
    return frozenset(descendants(roots | inside, living))


def _listening(port: int, readings: Readings) -> set[int]:
    """Return the processes that listen at a port of the node itself, none for port 0."""
    tables = [listening_sockets(readings.file(f"/proc/net/{table}").value or "") for table in TABLES] if port else []
    sockets = {name for table in tables for name, at in table.items() if at == port}
    links = readings.links.get(_FDS, {}) if sockets else {}
    return {int(path.split("/")[2]) for path, where in links.items() if where in sockets}


def _below(group: str, groups: str) -> bool:
    paths = [line.split(":", 2)[-1] for line in groups.splitlines()]
    return any(path == group or path.startswith(f"{group}/") for path in paths)


def _show(unit: str) -> tuple[str, ...]:
    return ("systemctl", "show", "-p", _PROPERTIES, unit)


def _unit(name: str, said: Observed[CommandOutput], unknown: list[str]) -> ServiceUnit | None:
    if said.value is None or said.value.code:
        why = said.why or (said.value.stderr.strip() if said.value else "there is no systemctl")
        unknown.append(f"unit {name} cannot be seen: {why}")
        return None
    values: dict[str, Any] = dict(line.partition("=")[::2] for line in said.value.stdout.splitlines())
    ended = values.get("ActiveState") != "active" or values.get("SubState") != "running"
    return ServiceUnit(
        name=name,
        loaded=values.get("LoadState") == "loaded",
        active=values.get("ActiveState", ""),
        sub=values.get("SubState", ""),
        result=values.get("Result", ""),
        main_pid=_number(values.get("MainPID", "")),
        group=values.get("ControlGroup", ""),
        exit_code=_number(values.get("ExecMainStatus", "")) if ended else None,
        restarts=_number(values.get("NRestarts", "")),
        restart=values.get("Restart", ""),
    )


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() else 0


def _living(readings: Readings) -> tuple[NodeProcess, ...]:
    lines, groups = readings.matching(_CMDLINE), readings.matching(_CGROUP)
    found: list[NodeProcess] = []
    for path, stat in readings.matching(_STAT).items():
        folder = path.rpartition("/")[0]
        text = stat.value or ""
        fields = text[text.rfind(")") + 1 :].split()
        if len(fields) <= _STARTED or fields[_STATE] in _DEAD:
            continue
        line, group = lines.get(f"{folder}/cmdline"), groups.get(f"{folder}/cgroup")
        words = ((line.value if line else "") or "").removesuffix("\0")
        found.append(
            NodeProcess(
                pid=int(folder.rpartition("/")[2]),
                parent=_number(fields[_PARENT]),
                start_ticks=_number(fields[_STARTED]),
                name=text[text.find("(") + 1 : text.rfind(")")],
                argv=tuple(words.split("\0")) if words.strip("\0") else (),
                groups=(group.value if group else "") or "",
            )
        )
    return tuple(sorted(found, key=lambda one: one.pid))
