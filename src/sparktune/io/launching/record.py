"""What a hold has touched, as JSON: enough to find it again after a crash, and nothing that is secret."""

__all__ = ["ProcessEntry", "Record"]

import copy
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from sparktune.errors import StoreError
from sparktune.io.launching.action_json import encode_actions
from sparktune.io.launching.ending import Mine
from sparktune.io.launching.nodes import NodeEntry
from sparktune.model.arm_action import Action

_SCHEMA = 1
_FINISHED = frozenset({"undone", "nothing"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessEntry:
    """One started program. ``kept``: a switch that has ended; what it left running is meant to stay."""

    mark: str
    kind: Literal["server", "switch"]
    arm: str
    command: str
    log: str
    state: Literal["starting", "running", "ended", "kept"]
    pid: int = 0
    start_ticks: int = 0
    boot: str = ""

    @property
    def mine(self) -> Mine:
        """How its processes are known; of a switch only itself and its session: its mark is also on what is to stay."""
        mark = self.mark if self.kind == "server" else ""
        return Mine(mark=mark, pid=self.pid, start_ticks=self.start_ticks, boot=self.boot)


class Record:
    """The record of one experiment; every change of it is remembered before it counts.

    ``leaving`` are the actions that end the arm that is being set or held, ``bringing_back`` those that bring back what
    ran before the experiment (None: not told yet), as JSON. ``memory`` by node: what there was before the first start.
    """

    def __init__(self, remember: Callable[[Mapping[str, Any]], None], content: Mapping[str, Any] | None) -> None:
        """Go on with a record, or begin one."""
        self._remember = remember
        self.anyway = False
        given = content or {}
        self.arm = str(given.get("arm", ""))
        self.booting = str(given.get("booting", ""))  # the boot that has to end before the arm counts
        self.processes = [ProcessEntry(**fields) for fields in given.get("processes", ())]
        self.nodes = [NodeEntry.of(fields) for fields in given.get("nodes", ())]
        self.memory: dict[str, dict[str, Any]] = copy.deepcopy(dict(given.get("memory", {})))
        self.leaving: list[dict[str, Any]] = copy.deepcopy(list(given.get("leaving", ())))
        self.bringing_back: list[dict[str, Any]] | None = copy.deepcopy(given.get("bringing_back"))
        self.originals: dict[str, dict[str, Any]] = copy.deepcopy(dict(given.get("originals", {})))

    def as_json(self) -> dict[str, Any]:
        """Return a copy that nobody changes."""
        return {
            "schema": _SCHEMA,
            "arm": self.arm,
            "booting": self.booting,
            "processes": [asdict(one) for one in self.processes],
            "nodes": [one.as_json() for one in self.nodes],
            "memory": copy.deepcopy(self.memory),
            "leaving": copy.deepcopy(self.leaving),
            "bringing_back": copy.deepcopy(self.bringing_back),
            "originals": copy.deepcopy(self.originals),
        }

    def save(self) -> None:
        """Have it remembered. Raises StoreError, unless everything is brought back whatever cannot be kept."""
        try:
            self._remember(self.as_json())
        except StoreError:
            if not self.anyway:
                raise

    def set_arm(self, arm: str) -> None:
        """Say which arm is being set, "" for none."""
        if arm != self.arm:
            self.arm = arm
            self.save()

    def set_booting(self, boot: str) -> None:
        """Say that the arm counts after this boot, "" when it does, or is none any more."""
        if boot != self.booting:
            self.booting = boot
            self.save()

    def set_leaving(self, actions: Iterable[Action]) -> None:
        """Say what will end the arm; () when it has ended."""
        encoded = encode_actions(actions)
        if encoded != self.leaving:
            self.leaving = encoded
            self.save()

    def put_process(self, entry: ProcessEntry) -> None:
        """Add a program, or replace what is known of it."""
        self.processes = [one for one in self.processes if one.mark != entry.mark] + [entry]
        self.save()

    def change_process(self, mark: str, **fields: Any) -> None:  # noqa: ANN401 - fields of an entry
        """Change what is known of a program."""
        self.processes = [replace(one, **fields) if one.mark == mark else one for one in self.processes]
        self.save()

    def put_node(self, entry: NodeEntry) -> None:
        """Add a transaction, or replace what is known of it."""
        same = [(one.node, one.plan, one.before) == (entry.node, entry.plan, entry.before) for one in self.nodes]
        self.nodes = [one for one, is_same in zip(self.nodes, same, strict=True) if not is_same] + [entry]
        self.save()

    @property
    def standing(self) -> tuple[NodeEntry, ...]:
        """Transactions that were not taken back, the newest first."""
        return tuple(one for one in reversed(self.nodes) if one.state not in _FINISHED)

    @property
    def running(self) -> tuple[ProcessEntry, ...]:
        """Programs that were not seen to end, the newest first."""
        return tuple(one for one in reversed(self.processes) if one.state in {"starting", "running"})
