"""The host profile that was applied on a node, beside what is effective there now.

What was applied is in the node's journal; the states that it wants are looked at by ``host verify`` (``host.changes``),
which ``DriftView.hosts`` has the answers of. Interrupts, the cores of containers and pinned threads are rows of other
aspects.
"""

__all__ = ["ASPECT"]

from collections.abc import Collection, Iterator
from typing import Final

from sparktune.drift.aspects._shared import judged
from sparktune.drift.host_checks import applied_checks, check_row
from sparktune.drift.rows import closed_cell
from sparktune.model.drift import DriftAspect, DriftRow, DriftView, PartSeen
from sparktune.model.node_report import NodeReport, NodeState
from sparktune.model.reads import Read, ReadNames

_ID: Final = "host-profile"
_KEY: Final = "host profile"
_HOME: Final = "/var/lib/sparktune"  # as agent.protocol has it
_ELSEWHERE: Final = frozenset({"irq-affinity", "container-cpuset", "sparkrun-cpuset", "place"})
_HALF: Final = frozenset({NodeState.INCOMPLETE, NodeState.UNCONFIRMED})


def _rows(view: DriftView) -> tuple[DriftRow, ...]:
    clean = {part.node for part in view.parts if _nothing_kept(part)}
    return tuple(row for host in view.hosts for row in (*_state(host, clean), *_checks(host)))


def _reads(_part: PartSeen) -> tuple[Read, ...]:
    return (ReadNames(pattern=_HOME),)


def _nothing_kept(part: PartSeen) -> bool:
    """Whether a node has no journal at all, which also those see who may not read one."""
    readings = part.readings
    return readings.names.get(_HOME) == () and _HOME not in readings.unread


def _state(host: NodeReport, clean: Collection[str]) -> Iterator[DriftRow]:
    if host.failure and host.node not in clean:
        yield judged(_KEY, host.node, _ID, live=closed_cell(host.failure, "journal"), hint=host.hint)
    elif host.state in _HALF and not host.failure:
        why = f"the profile is {host.state.value} on this node: sparktune host status says what is left to do"
        yield judged(_KEY, host.node, _ID, live=closed_cell(why, "journal"), hint="sparktune host status")


def _checks(host: NodeReport) -> Iterator[DriftRow]:
    for check in applied_checks(host):
        if check.change not in _ELSEWHERE:
            yield check_row(check, host.node, _ID)


ASPECT = DriftAspect(
    id=_ID,
    title="the host profile that was applied, and what is effective now",
    why="A reboot, an upgrade or another tool undoes a part of a profile without a word, and the next measurement is "
    "of another machine.",
    source="sparktune host verify; systemd.resource-control(5); sysctl.d(5)",
    rows=_rows,
    reads=_reads,
)
