"""A process that was started before the files that set it were last changed; a unit that systemd has not read again.

Sources: stat(2), st_mtime; systemctl(1) show, NeedDaemonReload: whether a unit's files changed since systemd read them.
A start is known to a second (proc_pid_stat(5) counts ticks from the boot, which /proc/stat has in whole seconds).
"""

__all__ = ["ASPECT"]

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from sparktune.drift.aspects._shared import judged, silence, stamp
from sparktune.drift.compare import same_value
from sparktune.drift.rows import cell, closed_cell
from sparktune.host.compose_files import literal
from sparktune.model.drift import DriftAspect, DriftCell, DriftRow, DriftView, PartSeen
from sparktune.model.observed import State
from sparktune.model.reads import FileStat, Read, ReadCommand, ReadStats
from sparktune.units import Nanoseconds, format_duration, seconds_between

_ID: Final = "age"
_STARTED: Final = "started after its files"
_RELOADED: Final = "unit file read by systemd"
_SLACK_NS: Final[Nanoseconds] = 2_000_000_000


def _show(unit: str) -> tuple[str, ...]:
    return ("systemctl", "show", "-p", "NeedDaemonReload", unit)


def _unit(part: PartSeen) -> str:
    name = str(part.where.get("unit") or "")
    return "" if name.startswith("-") else name


def _reads(part: PartSeen) -> tuple[Read, ...]:
    stats = tuple(ReadStats(pattern=literal(path)) for path in dict.fromkeys(part.files))
    return (*stats, ReadCommand(argv=_show(_unit(part)))) if _unit(part) else stats


def _rows(view: DriftView) -> tuple[DriftRow, ...]:
    return tuple(row for part in view.parts for row in (_started(part), _reloaded(part)) if row is not None)


def _started(part: PartSeen) -> DriftRow | None:
    if not part.files or not part.pid:
        return None
    stats = part.readings.stats
    found = {path: seen for path in part.files if (seen := stats.get(literal(path), {}).get(path)) is not None}
    newest = max(found, key=lambda path: found[path].mtime_ns, default="")
    late = bool(part.start_ns and newest) and found[newest].mtime_ns > part.start_ns + _SLACK_NS
    file = _of_files(part, newest, found)
    live = closed_cell("when the process was started is not known", f"pid {part.pid}")
    if part.start_ns:
        live = cell("before" if late else "after", f"pid {part.pid}", text=stamp(part.start_ns))
    if not late or _all_live(part):
        live = replace(live, value=file.value) if live.state is State.PRESENT else live
        why = f"{newest} is newer than the process, and all that it sets is live" if late else ""
        return judged(_STARTED, part.node, _ID, part=part.name, file=file, live=live, why=why)
    ago = format_duration(seconds_between(part.start_ns, found[newest].mtime_ns))
    others = [path for path in found if path != newest and found[path].mtime_ns > part.start_ns + _SLACK_NS]
    more = f" (and {', '.join(others)})" if others else ""
    why = f"{newest}{more} was changed {ago} after the process was started: what it says now is not what runs"
    return judged(_STARTED, part.node, _ID, part=part.name, file=file, live=live, why=why, hint=_hint(part))


def _of_files(part: PartSeen, newest: str, found: Mapping[str, FileStat]) -> DriftCell:
    closed = [f"{path}: {why}" for path in part.files if (why := part.readings.unread.get(literal(path)))]
    if closed:
        return closed_cell("; ".join(closed))
    if not newest:
        return closed_cell(f"none of its files was seen: {', '.join(part.files)}")
    return cell("after", newest, text=f"{newest} {stamp(found[newest].mtime_ns)}")


def _all_live(part: PartSeen) -> bool:
    """Whether the process was started with every setting of the files: then only their time is new."""
    started = part.asked or part.live
    if not part.file or not started or {"file", "live", "environ"} & set(part.unread):
        return False
    # Keys of the service (a cpuset, an image) are not all seen on the process.
    wanted = {key: one for key, one in part.file.items() if key in started or not key.startswith("key.")}
    return all(key in started and same_value(key, started[key].value, one.value) for key, one in wanted.items())


def _hint(part: PartSeen) -> str:
    if part.container:
        return "recreate the container (docker restart keeps the old settings), the parts in their order"
    return f"if the file is right, restart {_unit(part) or 'the service'}; if what runs is right, put the file back"


def _reloaded(part: PartSeen) -> DriftRow | None:
    unit = _unit(part)
    if not unit:
        return None
    place = f"systemctl show {unit}"
    said = part.readings.command(*_show(unit))
    if said.value is None or said.value.code:
        live = closed_cell(silence(part, _show(unit)), place)
        return judged(_RELOADED, part.node, _ID, part=part.name, live=live)
    answer = said.value.stdout.strip().partition("=")[2]
    if answer not in {"yes", "no"}:
        return judged(_RELOADED, part.node, _ID, part=part.name, live=closed_cell(f"systemd says {answer!r}", place))
    late = answer == "yes"
    return judged(
        _RELOADED,
        part.node,
        _ID,
        part=part.name,
        file=cell("read", unit, text="as on disk"),
        live=cell("not read" if late else "read", place, text="older" if late else "as on disk"),
        why=f"the files of {unit} were changed since systemd read them: a restart would still start the old ones"
        if late
        else "",
        hint=f"systemctl daemon-reload, then systemctl restart {unit}" if late else "",
    )


ASPECT = DriftAspect(
    id=_ID,
    title="whether the process was started after its files were last changed",
    why="A file that was edited says nothing of a process that was started before: a restart that failed, or kept the "
    "old container, looks like one that worked.",
    source="https://docs.docker.com/reference/cli/docker/container/restart/; systemctl(1), daemon-reload; stat(2)",
    rows=_rows,
    reads=_reads,
)
