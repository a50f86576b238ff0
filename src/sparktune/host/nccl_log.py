"""What NCCL's lines in an engine's log say of the network: which transport, which error, on which device.

Source: the messages of NVIDIA/nccl (``src/transport/net_ib``, ``net_socket.cc``, ``src/misc/ibvwrap.cc``, ``init.cc``)
as public reports quote them. ibv_modify_qp answers errno 61 (ENODATA) for a GID slot that is empty; a completion with
status 12 (IBV_WC_RETRY_EXC_ERR) says that the peer did not acknowledge.
"""

__all__ = ["Logged", "NcclEvent", "NcclEventKind", "NcclLog", "NcclLogFacts", "logged", "read_nccl_log"]

import re
from dataclasses import dataclass
from enum import Enum

from sparktune.model.node import NodeFacts

_MOST_EVENTS = 200
_LONGEST_LINE = 400


class NcclEventKind(Enum):
    """What a line says."""

    USES_IB = "uses RDMA"
    USES_SOCKET = "uses sockets"
    NO_IB_DEVICE = "finds no RDMA device"
    GID_EMPTY = "empty GID"
    NO_MEMORY = "memory not registered"
    RETRY_EXCEEDED = "peer does not acknowledge"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class NcclEvent:
    """One line: its number, its text, and what it names of a device, its port, and the GID index."""

    kind: NcclEventKind
    line: int
    text: str
    device: str | None = None
    port: int | None = None
    gid_index: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NcclLog:
    """What one log says, in its order; at most 200 events are kept."""

    file: str
    events: tuple[NcclEvent, ...]

    def of(self, kind: NcclEventKind) -> tuple[NcclEvent, ...]:
        """Return the events of one kind."""
        return tuple(event for event in self.events if event.kind is kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class NcclLogFacts:
    """The logs of a node's engines that were handed in; no live source has them.

    ``unlimited_memlock`` is what ``ulimit -l`` beside them says, None when nobody asked it.
    """

    logs: tuple[NcclLog, ...] = ()
    unlimited_memlock: bool | None = None


_KINDS = (
    (re.compile(r"NET/IB\s*:\s*No device found"), NcclEventKind.NO_IB_DEVICE),
    (re.compile(r"Using network Socket"), NcclEventKind.USES_SOCKET),
    (re.compile(r"Using network IB|via NET/IB"), NcclEventKind.USES_IB),
    (re.compile(r"via NET/Socket"), NcclEventKind.USES_SOCKET),
    (re.compile(r"ibv_modify_qp failed with (?:error )?(?:61\b|No data available)"), NcclEventKind.GID_EMPTY),
    (re.compile(r"ibv_reg_mr\w* failed with (?:error )?(?:12\b|Cannot allocate memory)"), NcclEventKind.NO_MEMORY),
    (re.compile(r"RETRY_EXC_ERR|status=12\b"), NcclEventKind.RETRY_EXCEEDED),
    (re.compile(r"NCCL WARN"), NcclEventKind.WARNING),
)
_DEVICE = re.compile(r"\bon dev (?P<name>[A-Za-z][\w.-]{0,63})(?::(?P<port>\d{1,3}))?", re.ASCII)
_GID_INDEX = re.compile(r"local GID index (?P<index>\d{1,4})", re.ASCII)


def read_nccl_log(text: str, file: str) -> NcclLog:
    """Return what a log says; a message that goes on in an indented line is read with it."""
    events: list[NcclEvent] = []
    lines = text.splitlines()
    for place, line in enumerate(lines):
        kind = next((kind for pattern, kind in _KINDS if pattern.search(line)), None)
        if kind is None:
            continue
        following = lines[place + 1] if place + 1 < len(lines) else ""
        whole = f"{line.strip()} {following.strip()}" if following[:1].isspace() else line.strip()
        events.append(_event(kind, place + 1, whole[:_LONGEST_LINE]))
        if len(events) == _MOST_EVENTS:
            break
    return NcclLog(file=file, events=tuple(events))


def _event(kind: NcclEventKind, line: int, text: str) -> NcclEvent:
    device, index = _DEVICE.search(text), _GID_INDEX.search(text)
    return NcclEvent(
        kind=kind,
        line=line,
        text=text,
        device=device["name"] if device else None,
        port=int(device["port"]) if device and device["port"] else None,
        gid_index=int(index["index"]) if index else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Logged:
    """The first of one or more events of one kind in a log; ``nodes`` are those whose log it is, or may be."""

    nodes: tuple[NodeFacts, ...]
    file: str
    event: NcclEvent
    count: int

    @property
    def node(self) -> str | None:
        """The node's name; None when the log may be of any of several."""
        return self.nodes[0].node if len(self.nodes) == 1 else None

    @property
    def evidence(self) -> str:
        """What was logged, and how often."""
        often = f" ({self.count} such lines)" if self.count > 1 else ""
        return f"{self.event.text}{often}"


def logged(nodes: tuple[NodeFacts, ...], kind: NcclEventKind) -> tuple[Logged, ...]:
    """Return what the logs of nodes say of one kind, each log once: the first line, and how many there are."""
    owners: dict[NcclLog, list[NodeFacts]] = {}
    for node in nodes:
        for log in (node.get(NcclLogFacts) or NcclLogFacts()).logs:
            owners.setdefault(log, []).append(node)
    found = []
    for log, of_log in owners.items():
        events = log.of(kind)
        if events:
            found.append(Logged(nodes=tuple(of_log), file=log.file, event=events[0], count=len(events)))
    return tuple(found)
