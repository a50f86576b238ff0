"""Several who read the same nodes at once, over one agent per node: one login each, however much is asked."""

__all__ = ["SharedNode", "SharedNodes"]

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Final, Self, TypeVar

from sparktune.errors import HostError, NodeBusy, NodeError, NodeNeedsRoot, PlanVoid
from sparktune.io.cluster import NodeTarget
from sparktune.io.together import together
from sparktune.io.transport.awaited import awaiting
from sparktune.io.transport.changes_wire import Journal
from sparktune.io.transport.session import NodeSession
from sparktune.io.transport.wire import Hello
from sparktune.model.reads import Read, Readings
from sparktune.units import Seconds

_T = TypeVar("_T")
_Question = Callable[[NodeSession], Awaitable[_T]]
# What an agent refuses it has answered: it goes on listening.
_REFUSED: Final = (HostError, NodeBusy, NodeNeedsRoot, PlanVoid)


class SharedNodes:
    """``async with SharedNodes() as nodes``: each who asks takes its own ``nodes.of(target)``.

    An agent is started with the first question to its node, and ended with all others on leaving. Questions to one node
    take turns, those of whom waits longest first; ``limit`` nodes are asked at a time, each answer has
    ``per_node_timeout``, and waiting for one's turn does not count. ``met`` has who each node is that has
    told it so far.
    """

    def __init__(self, *, limit: int = 32, per_node_timeout: Seconds = 30.0) -> None:
        """Start nothing yet."""
        self.met: dict[NodeTarget, Hello] = {}
        self._limit_s = per_node_timeout
        self._slots = asyncio.Semaphore(limit)
        self._first: dict[NodeTarget, _Line] = {}
        self._lines: list[_Line] = []

    def of(self, target: NodeTarget) -> "SharedNode":
        """Return the node for one who asks. Raises UsageError for a host name that is an option."""
        if target not in self._first:
            self._first[target] = self.another(target)
        return SharedNode(self, self._first[target], target)

    def another(self, target: NodeTarget) -> "_Line":
        """Return one more way to a node, for whom the first one failed through no doing of their own."""
        line = _Line(NodeSession(target, limit_s=self._limit_s), self._slots)
        self._lines.append(line)
        return line

    async def close(self, *, at_once: bool = False) -> None:
        """End all agents."""
        await together(*(line.close(at_once=at_once) for line in self._lines))

    async def __aenter__(self) -> Self:
        """Start nothing yet."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all agents; after an error at once."""
        await self.close(at_once=kind is not None)


class SharedNode:
    """A node as one of several has it who ask it; as ``ReadableNode`` says.

    Where another one's question broke the agent off, those who wait are not failed by it: each goes on with an agent
    of its own, all at the same time. A node that never answered anybody answers nobody: then all have that error.
    """

    def __init__(self, nodes: SharedNodes, line: "_Line", target: NodeTarget) -> None:
        """Begin on the way that all share."""
        self.target = target
        self._nodes, self._line = nodes, line

    async def hello(self) -> Hello:
        """Ask the node who it is and what its clocks say."""
        self._nodes.met[self.target] = hello = await self._ask(lambda session: session.hello())
        return hello

    async def observe(self, reads: Sequence[Read]) -> Readings:
        """Do a batch of reads."""
        return await self._ask(lambda session: session.observe(reads))

    async def greet_and_observe(self, reads: Sequence[Read]) -> tuple[Hello, Readings]:
        """Do both, with nobody's question between them."""
        hello, readings = await self._ask(lambda session: session.greet_and_observe(reads))
        self._nodes.met[self.target] = hello
        return hello, readings

    async def journal(self) -> Journal:
        """Ask for all transactions of the node, and who works on it now."""
        hello, journal = await self._ask(lambda session: session.greet_and_journal())
        self._nodes.met[self.target] = hello
        if not isinstance(journal, Journal):
            raise journal
        return journal

    async def _ask(self, question: _Question[_T]) -> _T:
        async with self._line.turn:
            if not self._line.lost:
                return await self._line.ask(question)
            self._line.raise_if_silent()
        self._line = self._nodes.another(self.target)
        return await self._ask(question)


class _Line:
    """One agent: ``lost`` when it is not to be asked any more. It is asked by who holds ``turn``."""

    def __init__(self, session: NodeSession, slots: asyncio.Semaphore) -> None:
        self.turn = asyncio.Lock()
        self.lost = False
        self._session, self._slots = session, slots
        self._opened = self._answered = False
        self._silent: NodeError | None = None

    async def ask(self, question: _Question[_T]) -> _T:
        async with self._slots:
            try:
                if not self._opened:
                    self._opened = True
                    await self._session.open()
                with awaiting(self._session.target.name):
                    answer = await question(self._session)
            except _REFUSED:
                self._answered = True
                raise
            except BaseException as error:
                # What is still to come would be taken for the answer to the next question.
                self.lost = True
                if isinstance(error, NodeError) and not self._answered:
                    self._silent = error
                await self._session.close(at_once=True)
                raise
        self._answered = True
        return answer

    def raise_if_silent(self) -> None:
        """Raise the error of a node that never answered."""
        if self._silent is not None:
            raise type(self._silent)(str(self._silent), hint=self._silent.hint)

    async def close(self, *, at_once: bool) -> None:
        async with self.turn:
            if self._opened and not self.lost:
                self.lost = True
                await self._session.close(at_once=at_once)
