"""The cores that the threads of a service may use: beside its file, its control group, the profile and the other nodes.

Sources: proc(5), Cpus_allowed_list of every thread; cgroup-v2.rst, cpuset.cpus.effective; Docker Engine API,
HostConfig.CpusetCpus; systemd.exec(5), CPUAffinity=; systemd.resource-control(5), AllowedCPUs=. A thread that uses
fewer cores than it may is no drift: engines pin threads of their own. All threads with the same smaller mask are one:
it was inherited, or set on the process by hand.
"""

__all__ = ["ASPECT"]

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from sparktune.drift.aspects._shared import differing, judged
from sparktune.drift.core_use import CoreUse, core_use
from sparktune.drift.host_checks import applied_checks, check_row
from sparktune.drift.rows import absent_cell, cell, closed_cell
from sparktune.host.cpulist import format_cpulist
from sparktune.host.findings.no_cpuset import FINDING as NO_CPUSET
from sparktune.model.drift import DriftAspect, DriftCell, DriftRow, DriftView
from sparktune.model.finding import Severity
from sparktune.model.node import ClusterFacts

_ID: Final = "cpusets"
_KEY: Final = "cores"
_OF_CONTAINERS: Final = frozenset({"container-cpuset", "sparkrun-cpuset"})


def _rows(view: DriftView) -> tuple[DriftRow, ...]:
    uses = [use for part in view.parts if part.pid and (use := core_use(view, part)) is not None]
    apart = _apart(uses)
    risky = _at_next_boot(view)
    return (*(_row(view, use, apart, risky) for use in uses), *_profile_rows(view))


def _row(view: DriftView, use: CoreUse, apart: str, risky: Mapping[str, str]) -> DriftRow:
    file, live = _of_file(view, use), _of_threads(use)
    said = [text for text in (use.outside, use.narrowed, _unrecorded(view, use), risky.get(use.owner, "")) if text]
    lost = bool(use.narrowed or _unrecorded(view, use) or risky.get(use.owner))
    return judged(
        _KEY,
        use.part.node,
        _ID,
        part=use.part.name,
        file=file,
        live=live,
        differ=bool(apart),
        why="; ".join((*said, *([f"{_KEY}: {apart}"] if apart else []))),
        survives=False if lost else None if file is None or live.value is None else True,
    )


def _of_file(view: DriftView, use: CoreUse) -> DriftCell | None:
    if use.wanted is not None:
        return cell(format_cpulist(use.wanted), use.place)
    # A compose file that was read and has no cpuset says: none. What a container has then is from elsewhere.
    declared = view.service.launcher == "compose" and use.part.file and "file" not in use.part.unread
    return absent_cell("no cpuset", use.place) if declared and use.cpuset else None


def _of_threads(use: CoreUse) -> DriftCell:
    place = f"{use.threads} threads"
    if use.why:
        return closed_cell(use.why, place)
    union = format_cpulist(use.union)
    right = use.wanted is not None and not use.outside and not use.narrowed
    return cell(format_cpulist(use.wanted) if right and use.wanted is not None else union, place, text=union)


def _unrecorded(view: DriftView, use: CoreUse) -> str:
    if view.service.launcher == "sparkrun" and use.cpuset:
        return f"its cpuset {use.cpuset} is of --executor-args, which sparkrun records nowhere"
    if view.service.launcher == "compose" and use.cpuset and use.wanted is None and "file" not in use.part.unread:
        return f"its cpuset {use.cpuset} is in no file: docker update, or an older file"
    return ""


def _apart(uses: Sequence[CoreUse]) -> str:
    """Return how nodes with the same cores let the same service use different ones."""
    if len({use.online for use in uses}) > 1 or any(use.why for use in uses):
        return ""
    return differing({use.part.node: format_cpulist(use.union) for use in uses})


def _at_next_boot(view: DriftView) -> Mapping[str, str]:
    """Return by node and container what doctor says of one without a cpuset below a CPUAffinity of the manager."""
    found = NO_CPUSET.run(ClusterFacts(nodes=tuple(view.nodes)))
    warned = [one for one in found if one.severity is Severity.WARNING]
    return {f"{one.node} {one.evidence.split(' ', 1)[0]}": f"{one.evidence}: {one.hint}" for one in warned}


def _profile_rows(view: DriftView) -> Iterator[DriftRow]:
    for host in view.hosts:
        for check in applied_checks(host):
            if check.change in _OF_CONTAINERS:
                yield check_row(check, host.node, _ID)


ASPECT = DriftAspect(
    id=_ID,
    title="the cores that the threads of a service may use",
    why="A container without a cpuset, or a mask that was inherited, serves from efficiency cores, and the profile "
    "that should help makes it slower.",
    source="https://github.com/opencontainers/runc issues 4814, 4858; Linux Documentation/admin-guide/cgroup-v2.rst",
    rows=_rows,
)
