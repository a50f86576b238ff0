"""Ask many nodes at once; a dead or slow one holds up nobody but itself."""

__all__ = ["NodeAnswer", "ask_all", "observe_all"]

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sparktune.errors import HostError, NodeError
from sparktune.io.cluster import NodeTarget
from sparktune.io.together import together
from sparktune.io.transport.awaited import awaiting
from sparktune.io.transport.session import NodeSession
from sparktune.io.transport.wire import Hello
from sparktune.model.reads import Read, Readings
from sparktune.units import Seconds

_T = TypeVar("_T")


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

    async def ask(node: NodeSession) -> tuple[Hello, Readings]:
        return await node.greet_and_observe(reads)

    answers = await ask_all(targets, ask, limit=limit, per_node_timeout=per_node_timeout)
    return tuple(
        NodeAnswer(target=target, error=answer)
        if isinstance(answer, NodeError)
        else NodeAnswer(target=target, hello=answer[0], readings=answer[1])
        for target, answer in zip(targets, answers, strict=True)
        if not isinstance(answer, HostError)  # reading refuses nothing
    )


async def ask_all(
    targets: Sequence[NodeTarget],
    ask: Callable[[NodeSession], Awaitable[_T]],
    *,
    limit: int = 32,
    per_node_timeout: Seconds = 30.0,
) -> tuple[_T | NodeError | HostError, ...]:
    """Have the same conversation with every node, ``limit`` at a time; its result or its error, in the nodes' order.

    Raises UsageError for a host name that is an option.
    """
    sessions = [NodeSession(target, limit_s=per_node_timeout) for target in targets]
    turns = asyncio.Semaphore(limit)

    async def one(session: NodeSession) -> _T | NodeError | HostError:
        async with turns:
            try:
                with awaiting(session.target.name):
                    async with session as node:
                        return await ask(node)
            except (NodeError, HostError) as error:
                return error

    return await together(*(one(session) for session in sessions))
