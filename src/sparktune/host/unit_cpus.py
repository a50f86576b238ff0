"""What unit files give a slice or scope at boot: the ``AllowedCPUs=`` of its file and of all its drop-ins together.

Sources: systemd.unit(5) for the folders and the order of drop-ins; systemd.resource-control(5), AllowedCPUs=; lines of
several files add up and an empty one clears those before it (systemd's ``config_parse_allowed_cpuset``).
"""

__all__ = ["UnitLine", "boot_cpus", "unit_lines", "unit_reads"]

from dataclasses import dataclass

from sparktune.host.cpulist import CpuSet, parse_cpulist
from sparktune.host.facts._shared import drop_ins
from sparktune.model.observed import Observed, State, absent, present, unreadable
from sparktune.model.reads import Read, ReadFile, ReadFiles, Readings

# By priority. What is in /run does not outlive a boot, and is left out.
_FOLDERS = (
    "/etc/systemd/system.control",
    "/etc/systemd/system",
    "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitLine:
    """One ``AllowedCPUs=`` that counts at boot, in the order in which systemd reads them."""

    path: str
    value: str

    @property
    def name(self) -> str:
        """The name of its file, by which drop-ins are ordered."""
        return self.path.rpartition("/")[2]


def unit_reads(unit: str) -> tuple[Read, ...]:
    """Return what has to be read of a unit."""
    files = tuple(ReadFile(path=f"{folder}/{unit}") for folder in _FOLDERS)
    return (*files, *(ReadFiles(pattern=pattern) for pattern in _patterns(unit)))


def _patterns(unit: str) -> tuple[str, ...]:
    return tuple(f"{folder}/{unit}.d/*.conf" for folder in _FOLDERS)


def unit_lines(readings: Readings, unit: str) -> Observed[tuple[UnitLine, ...]]:
    """Return every line that counts; UNREADABLE when a file that may have one cannot be read."""
    main = ((path, readings.file(path)) for path in (f"{folder}/{unit}" for folder in _FOLDERS))
    first = next(((path, text) for path, text in main if text.state is not State.ABSENT), None)
    files = ([first] if first else []) + drop_ins(readings, _patterns(unit))
    closed = [f"{path}: {text.why}" for path, text in files if text.state is State.UNREADABLE]
    if closed:
        return unreadable("; ".join(closed))
    return present(tuple(line for path, text in files for line in _lines(path, text.value or "")))


def _lines(path: str, text: str) -> list[UnitLine]:
    found = []
    section = ""
    for line in text.splitlines():
        stripped = line.strip()
        if stripped.startswith("[") and stripped.endswith("]"):
            section = stripped[1:-1]
        key, sign, value = stripped.partition("=")
        if sign and section in {"Slice", "Scope"} and key.strip() == "AllowedCPUs":
            found.append(UnitLine(path=path, value=value.strip()))
    return found


def boot_cpus(lines: tuple[UnitLine, ...]) -> Observed[CpuSet]:
    """Return what lines come to; ABSENT when none of them leaves any CPU named."""
    cpus: CpuSet = frozenset()
    for line in lines:
        more = present(line.value).map(parse_cpulist)
        if more.value is None:
            return unreadable(f"{line.path}: {more.why}")
        cpus = cpus | more.value if line.value else frozenset()
    return present(cpus) if cpus else absent()
