"""Whether what was earned is what files say and what runs: one row per setting and node."""

__all__ = [
    "DriftAspect",
    "DriftCell",
    "DriftRow",
    "DriftStatus",
    "DriftView",
    "PartSeen",
    "ServicePlace",
]

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from sparktune.model.node import NodeFacts
from sparktune.model.node_report import NodeReport
from sparktune.model.observed import State
from sparktune.model.reads import Read, Readings
from sparktune.model.setting import Setting, Value
from sparktune.units import Nanoseconds


class DriftStatus(Enum):
    """What a row comes to; the first of these that holds is its status, the others are ``also``.

    UNREADABLE: the live value, or the file's, could not be read. NOT_LIVE: what runs is not what its file says.
    FILE_DRIFT: the file does not say what was earned. NODES_DIFFER: nodes that must agree do not. UNEARNED: nobody
    proved it, which is no fault. OK: earned, in the file, and live.
    """

    UNREADABLE = "UNREADABLE"
    NOT_LIVE = "NOT LIVE"
    FILE_DRIFT = "FILE DRIFT"
    NODES_DIFFER = "NODES DIFFER"
    UNEARNED = "UNEARNED"
    OK = "OK"

    @property
    def is_drift(self) -> bool:
        """Whether something parts from something else."""
        return self in {DriftStatus.NOT_LIVE, DriftStatus.FILE_DRIFT, DriftStatus.NODES_DIFFER}


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftCell:
    """One layer of one row: ``text`` is how it is shown, secrets removed, with ``value`` None unless PRESENT.

    ``place`` is where it was read (``compose.yaml:12``, ``pid 4711``); ``why`` what stood in the way.
    """

    state: State
    value: Value = None
    text: str = ""
    place: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftRow:
    """One setting, or other thing, on one node.

    A layer is None where there is none of that kind (an IRQ mask has no boot log). ``aspect`` is the id of the aspect
    that it is from, ``part`` the service's part. ``why`` says in one sentence what parts from what; ``hint`` is the
    next step. ``survives`` tells whether the live value comes back after a restart of its service, None for untold.
    """

    key: str
    node: str
    aspect: str
    status: DriftStatus
    part: str = ""
    earned: DriftCell | None = None
    file: DriftCell | None = None
    echoed: DriftCell | None = None
    live: DriftCell | None = None
    also: tuple[DriftStatus, ...] = ()
    why: str = ""
    hint: str = ""
    survives: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServicePlace:
    """Where a service is: as an experiment file says it.

    ``launcher`` is the id of a launcher, ``where`` its parts in the order in which they start. ``pins`` are what it is
    to be by name: ``image`` a digest, ``revision`` a commit of the model.
    """

    name: str
    launcher: str
    where: tuple[Mapping[str, Any], ...]
    endpoint: str = ""
    model: str = ""
    pins: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartSeen:
    """One part of a service on its node, as it was read.

    ``node`` is the node's name for people. ``where`` is the part in the launcher's words. ``files`` are the paths
    that set it. ``file``, ``echoed`` and ``live`` are its settings by key in each layer; ``asked`` has those of the
    command line and the variables that the serving process was started with, which its engine may have decided
    otherwise. ``unread`` says per layer ("file", "echoed", "live", "environ" for variables) why there are none.
    ``pid`` 0: nothing serves; ``start_ns`` is when the serving process was started (wall clock of the node), 0
    where untold; ``container`` its container's id, "" without one; ``image`` the digest of the image that it runs,
    ``image_name`` as its file names it. ``readings`` are what the aspects asked for.
    """

    node: str
    name: str
    where: Mapping[str, Any]
    engine: str = ""
    files: tuple[str, ...] = ()
    file: Mapping[str, Setting] = field(default_factory=dict)
    echoed: Mapping[str, Setting] = field(default_factory=dict)
    live: Mapping[str, Setting] = field(default_factory=dict)
    asked: Mapping[str, Setting] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)
    pid: int = 0
    pids: tuple[int, ...] = ()
    start_ns: Nanoseconds = 0
    container: str = ""
    image: str = ""
    image_name: str = ""
    readings: Readings = field(default_factory=Readings)


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftView:
    """All that was seen: ``earned`` are the entries of ``earned.yaml`` for this service, as the file has them.

    ``nodes`` are the facts of every node (kernel, cores, interrupts ...), also of those without a part. ``hosts`` is
    what ``host status`` says of each of them: the profile that was applied there, by its journal, and what is so now.
    ``notes`` are what has to be said of them all.
    """

    service: ServicePlace
    parts: tuple[PartSeen, ...]
    nodes: tuple[NodeFacts, ...] = ()
    hosts: tuple[NodeReport, ...] = ()
    earned: Sequence[Mapping[str, Any]] = ()
    earned_file: str = ""
    notes: tuple[str, ...] = ()


def _no_reads(_part: PartSeen) -> tuple[Read, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftAspect:
    """One thing that can drift; the constant ``ASPECT`` of one file in ``drift/aspects``. Pure; raises nothing.

    ``reads(part)`` is what it wants read on a part's node, once the part's process is known; the answers are the
    part's ``readings``. It is asked again with these, as long as it wants more: see ``wanted_reads``. ``rows(view)``
    are its rows, in the order of parts. ``title`` is what is compared, ``why`` what it costs when it parts, ``source``
    where that is known from.
    """

    id: str
    title: str
    why: str
    source: str
    rows: Callable[[DriftView], tuple[DriftRow, ...]]
    reads: Callable[[PartSeen], tuple[Read, ...]] = _no_reads
