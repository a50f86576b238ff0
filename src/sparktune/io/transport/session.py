"""What a node is asked, wherever its agent runs: who it is, what it reads, what it samples, what it changes or runs."""

__all__ = ["NodeSession"]

from collections.abc import AsyncIterator, Sequence

import msgspec

from sparktune.errors import ChangeFailed, NodeNeedsRoot
from sparktune.io.transport.changes import Changes
from sparktune.io.transport.changes_wire import Journal
from sparktune.io.transport.commands import Commands
from sparktune.io.transport.merge import merge_reads
from sparktune.io.transport.wire import Hello, NotTheAgent, Tick, decode_part, encode_read, readings_of
from sparktune.model.reads import Read, Readings, Sampled
from sparktune.model.sample import Sample
from sparktune.units import Seconds

_MOST_ANSWER_BYTES = 128 * 1024 * 1024


class NodeSession(Changes, Commands):
    """``async with NodeSession(target) as node``; every answer, the first with opening, has ``limit_s``.

    Nothing is waited for when it opens: the first request travels behind the agent, so that a node is read in one round
    trip. Raises UsageError for a host name that is an option, NodeError for whatever goes wrong with the node.
    """

    async def hello(self) -> Hello:
        """Ask the node who it is and what its clocks say."""
        return await self._hello(self._ask("hello"))

    async def observe(self, reads: Sequence[Read]) -> Readings:
        """Do a batch of reads in one round trip; several for the same thing are one that has it all."""
        merged = merge_reads(reads)
        return await self._readings(self._ask("observe", reads=[encode_read(read) for read in merged]), merged)

    async def greet_and_observe(self, reads: Sequence[Read]) -> tuple[Hello, Readings]:
        """Do both in one round trip."""
        merged = merge_reads(reads)
        greeted = self._ask("hello")
        observed = self._ask("observe", reads=[encode_read(read) for read in merged])
        async with self._explained(self._limit_s):
            return await self._hello(greeted), await self._readings(observed, merged)

    async def greet_and_journal(self) -> tuple[Hello, Journal | NodeNeedsRoot | ChangeFailed]:
        """Ask both in one round trip; who the node is, it tells also where its journal is refused."""
        greeted, number = self._ask("hello"), self._ask("journal")
        hello = await self._hello(greeted)
        try:
            return hello, await self._journal(number)
        except (NodeNeedsRoot, ChangeFailed) as refused:
            return hello, refused

    async def sample(
        self, sources: Sequence[Sampled], *, interval_s: Seconds, count: int = 0, silent_s: Seconds | None = None
    ) -> AsyncIterator[Sample]:
        """Read files, patterns, commands and logs again and again, ``count`` times or until the iteration is left.

        Each tick has all texts, whole, as they are now; what cannot be read then has none. After the first tick, a
        node that says nothing for ``silent_s`` (else ``limit_s``) does not answer.
        """
        number = self._ask(
            "sample", sources=[encode_read(read) for read in sources], interval_s=interval_s, count=count
        )
        self._abandoned.add(number)
        texts: dict[str, str] = {}
        unread: dict[str, str] = {}
        limit_s = self._limit_s
        while True:
            async with self._explained(limit_s + interval_s):
                raw, last = await self._next(number)
                if last:
                    self._abandoned.discard(number)
                    return
                tick = decode_part(raw, Tick)
            limit_s = self._limit_s if silent_s is None else silent_s
            texts.update(tick.changed)
            for path in tick.gone:
                texts.pop(path, None)
            unread = {path: why for path, why in {**unread, **tick.unread}.items() if why} if tick.unread else unread
            yield Sample(
                tick=tick.tick,
                monotonic_ns=tick.monotonic_ns,
                wall_ns=tick.wall_ns,
                missed=tick.missed,
                texts=dict(texts),
                unread=unread,
            )

    async def _hello(self, number: int) -> Hello:
        async with self._explained(self._limit_s):
            raw, _last = await self._next(number)
            return decode_part(raw, Hello)

    async def _readings(self, number: int, reads: Sequence[Read]) -> Readings:
        parts: list[msgspec.Raw] = []
        size = 0
        async with self._explained(self._limit_s):
            while True:
                raw, last = await self._next(number)
                if last:
                    return readings_of(reads, parts)
                parts.append(raw)
                size += len(bytes(raw))
                if len(parts) > len(reads) or size > _MOST_ANSWER_BYTES:
                    message = f"it sends more than {len(reads)} answers or {_MOST_ANSWER_BYTES} bytes"
                    raise NotTheAgent(message)
