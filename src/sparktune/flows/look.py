"""One look at many nodes: whatever a command reads of a node comes over one agent, and nothing is read twice."""

__all__ = ["Look", "looking"]

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, TypeVar

from sparktune.errors import HostError, NodeError
from sparktune.io.cluster import NodeTarget
from sparktune.io.together import together
from sparktune.io.transport.shared import SharedNodes

_T = TypeVar("_T")


class Look(SharedNodes):
    """``async with Look() as look``; short, since what was read at its beginning counts to its end."""

    def __init__(self) -> None:
        """Ask nobody yet."""
        super().__init__()
        self._turns: defaultdict[Hashable, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._known: dict[Hashable, Any] = {}

    async def once(self, ask: Callable[["Look", NodeTarget], Awaitable[_T]], target: NodeTarget) -> _T:
        """Return what asking comes to, or raise its error: that of the first time, when it was asked before."""
        key = (ask, target)
        async with self._turns[key]:
            if key not in self._known:
                try:
                    self._known[key] = await ask(self, target)
                except (NodeError, HostError) as error:
                    self._known[key] = error
        known = self._known[key]
        if isinstance(known, NodeError | HostError):
            raise type(known)(str(known), hint=known.hint)
        return known  # type: ignore[no-any-return] # of the kind that this question returns

    async def each(
        self, targets: Sequence[NodeTarget], ask: Callable[[NodeTarget], Awaitable[_T]]
    ) -> tuple[_T | NodeError | HostError, ...]:
        """Ask all at once; the result of each or its error, in their order. Raises UsageError as ``of`` does."""
        for target in targets:
            self.of(target)

        async def one(target: NodeTarget) -> _T | NodeError | HostError:
            try:
                return await ask(target)
            except (NodeError, HostError) as error:
                return error

        return await together(*map(one, targets))


def looking(look: Look | None) -> AbstractAsyncContextManager[Look]:
    """Return somebody's look, which they end, or a new one that ends with the block."""
    return nullcontext(look) if look is not None else Look()
