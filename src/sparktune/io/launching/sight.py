"""What launchers want to see of the nodes before an experiment touches anything."""

__all__ = ["see"]

import asyncio
from collections.abc import Mapping, Sequence

from sparktune.io.launching.settings import HoldSettings
from sparktune.io.transport.session import NodeSession
from sparktune.model.launcher import Seen
from sparktune.model.reads import Read, Readings


async def see(reads: Mapping[str, Sequence[Read]], settings: HoldSettings) -> Seen:
    """Read every node that has something to be read. Raises NodeError, UsageError."""
    wanted = {node: asked for node, asked in reads.items() if asked}

    async def one(node: str) -> Readings:
        async with NodeSession(settings.target(node)) as session:
            return await session.observe(wanted[node])

    answers = await asyncio.gather(*map(one, wanted))
    return dict(zip(wanted, answers, strict=True))
