"""systemd: what boots, and which CPUs the manager and its slices may use - as files say it and as it is live.

Sources: systemd-system.conf(5) for CPUAffinity= and its drop-ins, systemd.resource-control(5) for AllowedCPUs=,
cgroup-v2.rst for cpuset, systemd.special(7) for default.target and the targets of runlevels. CPUAffinity= is applied by
PID 1 to itself at boot and never again, so that file and live mask differ until the next boot.
"""

__all__ = ["SOURCE", "AffinityLine", "SliceCpus", "SystemdFacts"]

import re
from dataclasses import dataclass

from sparktune.host.cpulist import CpuSet, parse_cpulist
from sparktune.host.facts._shared import drop_ins, first_line, missing, output, unit_blocks, word
from sparktune.model.node import FactSource
from sparktune.model.observed import Observed, State, absent, present, unreadable
from sparktune.model.reads import ReadCommand, ReadFile, ReadFiles, Readings, ReadLinks

# by priority: only the first main file counts, but all drop-ins, where a name counts once
_FOLDERS = ("/etc/systemd", "/run/systemd", "/usr/local/lib/systemd", "/usr/lib/systemd")
_DROP_INS = tuple(f"{folder}/system.conf.d/*.conf" for folder in _FOLDERS)
_SLICES = ("init.scope", "system.slice", "user.slice", "machine.slice", "inference.slice")
_DEFAULT_TARGET = ("systemctl", "get-default")
_SHOW = ("systemctl", "show", "-p", "Id,AllowedCPUs", *_SLICES)
_PID_1 = "/proc/1/status"
_DEFAULT_LINK = "/etc/systemd/system/default.target"
_CONTROLLERS = "/sys/fs/cgroup/cgroup.controllers"
_ALIASES = {f"runlevel{level}.target": "multi-user.target" for level in (2, 3, 4)} | {
    "runlevel5.target": "graphical.target"
}
_SECTION = re.compile(r"\[([^\]]*)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class AffinityLine:
    """One ``CPUAffinity=`` in a [Manager] section that counts; lines add up, an empty one clears those before it."""

    path: str
    line: int
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceCpus:
    """``allowed`` is the unit's AllowedCPUs= property (ABSENT: not set); ``effective`` what its cgroup really has."""

    unit: str
    allowed: Observed[CpuSet]
    effective: Observed[CpuSet]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemdFacts:
    """``manager_live`` is the mask of PID 1 now; ``manager_wanted`` what all ``affinity_lines`` come to.

    ``manager_wanted`` is ABSENT when no file sets it. ``default_link`` is where the administrator's link to the default
    target leads, ABSENT when there is none. ``controllers`` are those of cgroup version 2, ABSENT where version 1 is
    mounted in its place.
    """

    default_target: Observed[str]
    affinity_lines: tuple[AffinityLine, ...]
    manager_wanted: Observed[CpuSet]
    manager_live: Observed[CpuSet]
    slices: tuple[SliceCpus, ...]
    default_link: Observed[str] = absent()
    controllers: Observed[tuple[str, ...]] = absent()

    def slice_cpus(self, unit: str) -> SliceCpus:
        """Return what is known of one of the top-level slices, or of init.scope."""
        unknown = SliceCpus(unit=unit, allowed=absent(), effective=absent())
        return next((one for one in self.slices if one.unit == unit), unknown)


def _parse(readings: Readings) -> SystemdFacts:
    files = _files(readings)
    lines = tuple(line for path, text in files for line in _manager_lines(path, text.value or ""))
    closed = [f"{path}: {text.why}" for path, text in files if text.state is State.UNREADABLE]
    link = readings.links.get(_DEFAULT_LINK, {}).get(_DEFAULT_LINK)
    return SystemdFacts(
        default_target=_linked(link) if link else output(readings.command(*_DEFAULT_TARGET)).map(word),
        affinity_lines=lines,
        manager_wanted=unreadable("; ".join(closed)) if closed else _wanted(lines),
        manager_live=_live_mask(readings.file(_PID_1)),
        slices=_slices(readings),
        default_link=_default_link(link, readings),
        controllers=readings.file(_CONTROLLERS).map(lambda text: tuple(text.split())),
    )


def _linked(link: str) -> Observed[str]:
    """Return the target that a link names; those of runlevels are other names of two."""
    name = link.rpartition("/")[2]
    return present(_ALIASES.get(name, name)) if name else unreadable(f"{_DEFAULT_LINK} leads to {link!r}")


def _default_link(link: str | None, readings: Readings) -> Observed[str]:
    if link is not None:
        return present(link)
    closed = readings.unread.get(_DEFAULT_LINK)
    return unreadable(closed) if closed else absent()


def _files(readings: Readings) -> list[tuple[str, Observed[str]]]:
    main = ((path, readings.file(path)) for path in (f"{folder}/system.conf" for folder in _FOLDERS))
    first = next(((path, text) for path, text in main if text.state is not State.ABSENT), None)
    return ([first] if first else []) + drop_ins(readings, _DROP_INS)


def _manager_lines(path: str, text: str) -> list[AffinityLine]:
    found = []
    section = ""
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        header = _SECTION.fullmatch(stripped)
        section = header[1] if header else section
        key, sign, value = stripped.partition("=")
        if section == "Manager" and sign and key.strip() == "CPUAffinity":
            found.append(AffinityLine(path=path, line=number, value=value.strip()))
    return found


def _wanted(lines: tuple[AffinityLine, ...]) -> Observed[CpuSet]:
    wanted: Observed[CpuSet] = absent()
    for line in lines:
        cpus = present(line.value).map(parse_cpulist)
        if not line.value:
            wanted = absent()
        elif cpus.value is None:
            return unreadable(f"{line.path}, line {line.line}: {cpus.why}")
        else:
            wanted = present(cpus.value | (wanted.value or frozenset()))
    return wanted


def _live_mask(status: Observed[str]) -> Observed[CpuSet]:
    line = first_line(status.value or "", "Cpus_allowed_list:")
    return missing(status, "Cpus_allowed_list") if line is None else present(line).map(parse_cpulist)


def _slices(readings: Readings) -> tuple[SliceCpus, ...]:
    shown = output(readings.command(*_SHOW))
    units = unit_blocks(shown.value or "")
    return tuple(
        SliceCpus(
            unit=unit,
            allowed=_allowed(shown, units.get(unit)),
            effective=readings.file(_effective(unit)).map(parse_cpulist),
        )
        for unit in _SLICES
    )


def _allowed(shown: Observed[str], properties: dict[str, str] | None) -> Observed[CpuSet]:
    if properties is None or "AllowedCPUs" not in properties:
        return missing(shown, "AllowedCPUs")
    value = properties["AllowedCPUs"]
    return present(value).map(parse_cpulist) if value else absent()


def _effective(unit: str) -> str:
    return f"/sys/fs/cgroup/{unit}/cpuset.cpus.effective"


SOURCE = FactSource(
    name="systemd",
    kind=SystemdFacts,
    reads=(
        ReadCommand(argv=_DEFAULT_TARGET),
        ReadCommand(argv=_SHOW),
        ReadFile(path=_PID_1),
        ReadFile(path=_CONTROLLERS),
        ReadLinks(pattern=_DEFAULT_LINK),
        *(ReadFile(path=f"{folder}/system.conf") for folder in _FOLDERS),
        *(ReadFiles(pattern=pattern) for pattern in _DROP_INS),
        *(ReadFile(path=_effective(unit)) for unit in _SLICES),
    ),
    parse=_parse,
)
