"""What a node tells before threads are moved: its cores, the processes of these threads, our unit and timer."""

__all__ = ["first_reads", "seen_of", "systemd_there", "timer_active"]

import re
from collections.abc import Collection, Sequence

from sparktune.host.facts import cpu
from sparktune.host.facts._shared import output, unit_blocks
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.pinning.cpusets import cpuset_reads, group_of, groups_of
from sparktune.host.place_units import TIMER_UNIT, place_files, place_links
from sparktune.model.observed import Observed, absent, present, unreadable
from sparktune.model.pin import PlaceSeen, ProcessSeen
from sparktune.model.reads import Read, ReadCommand, ReadFile, ReadFiles, Readings, ReadLinks
from sparktune.model.step import ThreadRuleStep

_SHOW = ("systemctl", "show", "-p", "Id,LoadState,ActiveState", TIMER_UNIT)
_GONE = " (deleted)"
_STATUS = re.compile(r"/proc/\d+/task/(\d+)/status", re.ASCII)
_NAME = re.compile(r"^Name:[\t ]*(.+)$", re.MULTILINE)


def first_reads(pids: Collection[int]) -> tuple[Read, ...]:
    """Return what is asked first; ``group_reads`` of the answers come after it."""
    return (
        *cpu.SOURCE.reads,
        *cpuset_reads(pids),
        *(ReadLinks(pattern=f"/proc/{pid}/exe") for pid in pids),
        *(ReadFiles(pattern=f"/proc/{pid}/task/*/status", lines=("Name:",)) for pid in pids),
        *unit_reads(),
    )


def unit_reads() -> tuple[Read, ...]:
    """Return what tells of our unit and timer."""
    return (
        *(ReadFile(path=file.path) for file in place_files()),
        *(ReadLinks(pattern=path) for path, _target in place_links()),
        ReadCommand(argv=_SHOW),
    )


def seen_of(
    boot_id: str,
    first: Readings,
    groups: Readings,
    pids: Collection[int],
    rules: Sequence[ThreadRuleStep] = (),
    unended: Sequence[str] = (),
) -> PlaceSeen:
    """Return what the answers tell; ``rules`` and ``unended`` are what the journal does."""
    facts: CpuFacts = cpu.SOURCE.parse(first)
    split, online = facts.split, facts.online.value or frozenset()
    efficiency: Observed[frozenset[int]] = unreadable(split.why or "fast and slow cores cannot be told apart")
    if split.value is not None:
        efficiency = present(split.value.efficiency & online if online else split.value.efficiency)
    return PlaceSeen(
        boot_id=boot_id,
        efficiency=efficiency,
        online=online,
        processes={pid: _process_of(pid, first, groups) for pid in pids},
        systemd=systemd_there(first),
        units=_units(first),
        timer=timer_active(first),
        rules=tuple(rules),
        unended=tuple(unended),
    )


def _process_of(pid: int, first: Readings, groups: Readings) -> ProcessSeen:
    """Return what is known of a process."""
    pattern = f"/proc/{pid}/exe"
    target = first.links.get(pattern, {}).get(pattern)
    exe: Observed[str] = unreadable(first.unread[pattern]) if pattern in first.unread else absent()
    if target is not None:
        exe = present(program_of(target))
    names = {}
    for path, text in first.matching(f"/proc/{pid}/task/*/status").items():
        match, name = _STATUS.fullmatch(path), _NAME.search(text.value or "")
        if match is not None and name is not None:
            names[int(match[1])] = name[1].strip()
    return ProcessSeen(pid=pid, exe=exe, threads=names, groups=groups_of(group_of(pid, first), groups))


def program_of(target: str) -> str:
    """Return the name of a program as rules have it: one that was replaced while it runs keeps its name."""
    return target.removesuffix(_GONE).rsplit("/", 1)[-1]


def systemd_there(readings: Readings) -> bool:
    """Tell whether systemd runs there: without it nothing would look for threads that come back."""
    return output(readings.command(*_SHOW)).value is not None


def timer_active(readings: Readings) -> bool:
    """Tell whether our timer is at work."""
    shown = output(readings.command(*_SHOW)).value or ""
    return unit_blocks(shown).get(TIMER_UNIT, {}).get("ActiveState") == "active"


def _units(readings: Readings) -> dict[str, str]:
    texts = {file.path: readings.file(file.path).value for file in place_files()}
    links = {path: readings.links.get(path, {}).get(path) for path, _target in place_links()}
    return {path: text for path, text in {**texts, **links}.items() if text is not None}
