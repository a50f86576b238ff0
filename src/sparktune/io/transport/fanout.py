"""Ask many nodes at once; a dead or slow one holds up nobody but itself."""

__all__ = ["NodeAnswer", "observe_all"]

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from sparktune.errors import NodeError
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.session import NodeSession
from sparktune.io.transport.wire import Hello
from sparktune.model.reads import Read, Readings
from sparktune.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeAnswer:
    """What a node answered, or the error that stands in its place."""

    target: NodeTarget
    hello: Hello | None = None
    readings: Readings | None = None
    error: NodeError | None = None


async def observe_all(
    targets: Sequence[NodeTarget], reads: Sequence[Read], *, limit: int = 32, per_node_timeout: Seconds = 30.0
) -> tuple[NodeAnswer, ...]:
    """Do the same reads on every node, ``limit`` of them at a time, and return the answers in the order of the nodes.

    Raises UsageError for a host name that is an option; what is wrong with a node is in its answer.
    """
    sessions = [NodeSession(target, limit_s=per_node_timeout) for target in targets]
    turns = asyncio.Semaphore(limit)

    async def ask(session: NodeSession) -> NodeAnswer:
        async with turns:
            try:
                async with session as node:
                    hello, readings = await node.greet_and_observe(reads)
            except NodeError as error:
                return NodeAnswer(target=session.target, error=error)
            return NodeAnswer(target=session.target, hello=hello, readings=readings)

    return tuple(await asyncio.gather(*(ask(session) for session in sessions)))
