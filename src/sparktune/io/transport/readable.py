"""What may be asked of a node by who only reads it, alone with its agent or among others."""

__all__ = ["ReadableNode"]

from collections.abc import Sequence
from typing import Protocol

from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.changes_wire import Journal
from sparktune.io.transport.wire import Hello
from sparktune.model.reads import Read, Readings


class ReadableNode(Protocol):
    """The verbs of ``NodeSession`` that change nothing and end with their answer; each raises NodeError."""

    @property
    def target(self) -> NodeTarget:
        """The node."""

    async def hello(self) -> Hello:
        """Ask the node who it is and what its clocks say."""

    async def observe(self, reads: Sequence[Read]) -> Readings:
        """Do a batch of reads."""

    async def greet_and_observe(self, reads: Sequence[Read]) -> tuple[Hello, Readings]:
        """Do both."""

    async def journal(self) -> Journal:
        """Ask for all transactions of the node; beside NodeError it raises what the agent refuses."""
