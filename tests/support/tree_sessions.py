"""Agents that are not there: each question to a node is answered from a tree in memory, or as a test says."""

__all__ = ["TreeSession", "tree_sessions"]

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from tests.support.nodes import readings_of_node

from sparktune.errors import ChangeFailed, NodeNeedsRoot
from sparktune.host.lab.tree import NodeTree
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport import shared
from sparktune.io.transport.changes_wire import Journal
from sparktune.io.transport.wire import Hello
from sparktune.model.reads import Read, Readings

_NO_JOURNAL = Journal(transactions=(), holder="")


@dataclass(kw_only=True)
class TreeSession:
    """One agent. ``asked`` has the verbs in their order; a look at the node is at ``wall_ns`` by its clock."""

    target: NodeTarget
    tree: NodeTree
    wall_ns: int = 0
    journal_now: Callable[[], Journal] = field(default=lambda: _NO_JOURNAL)
    asked: list[str] = field(default_factory=list)

    async def open(self) -> None:
        """Start."""
        self.asked.append("open")

    async def close(self, *, at_once: bool = False) -> None:
        """End."""
        self.asked.append("kill" if at_once else "close")

    async def hello(self) -> Hello:
        """Tell when it is."""
        return Hello(
            protocol=1, boot_id="b", hostname="n", uid=0, python="3", monotonic_ns=self.wall_ns, wall_ns=self.wall_ns
        )

    async def observe(self, reads: Sequence[Read]) -> Readings:
        """Read the tree."""
        self.asked.append("observe")
        return readings_of_node(self.tree, reads)

    async def greet_and_observe(self, reads: Sequence[Read]) -> tuple[Hello, Readings]:
        """Do both."""
        self.asked.append("see")
        return await self.hello(), readings_of_node(self.tree, reads)

    async def greet_and_journal(self) -> tuple[Hello, Journal | NodeNeedsRoot | ChangeFailed]:
        """Tell what was changed."""
        self.asked.append("journal")
        try:
            return await self.hello(), self.journal_now()
        except (NodeNeedsRoot, ChangeFailed) as refused:
            return await self.hello(), refused


def tree_sessions(
    monkeypatch: pytest.MonkeyPatch, make: Callable[[NodeTarget], TreeSession]
) -> dict[str, list[TreeSession]]:
    """Let nodes be answered for by what ``make`` returns; the result has what was started, by the node's name."""
    made: dict[str, list[TreeSession]] = {}

    def session(target: NodeTarget, *, limit_s: float) -> TreeSession:
        del limit_s
        one = make(target)
        made.setdefault(target.name, []).append(one)
        return one

    monkeypatch.setattr(shared, "NodeSession", session)
    return made
