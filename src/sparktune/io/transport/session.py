"""A conversation with one node's agent, wherever it runs."""

__all__ = ["NodeSession"]

import asyncio
import secrets
import sys
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self

import msgspec

from sparktune.agent.bootstrap import bootstrap
from sparktune.errors import NodeError, NodeUnreachable
from sparktune.io.cluster import NodeTarget
from sparktune.io.transport.child import Child, start_child
from sparktune.io.transport.complaints import error_of_end, timeout_error
from sparktune.io.transport.incoming import Incoming
from sparktune.io.transport.merge import merge_reads
from sparktune.io.transport.package import agent_archive
from sparktune.io.transport.ssh import ssh_command
from sparktune.io.transport.wire import (
    AgentRefused,
    Hello,
    NotTheAgent,
    Tick,
    decode_answer,
    decode_part,
    encode_read,
    encode_request,
    readings_of,
)
from sparktune.model.reads import Read, Readings
from sparktune.model.sample import Sample
from sparktune.units import Seconds

_MOST_ANSWER_BYTES = 128 * 1024 * 1024
_NOT_OPEN = "the session is not open"
_FAREWELL_S = 2.0
_ENDED_S = 2.0  # between the end of stdout and the exit code


class NodeSession:
    """``async with NodeSession(target) as node``; every answer, the first with opening, has ``limit_s``.

    Nothing is waited for when it opens: the first request travels behind the agent, so that a node is read in one round
    trip. Raises UsageError for a host name that is an option, NodeError for whatever goes wrong with the node.
    """

    def __init__(self, target: NodeTarget, *, limit_s: Seconds = 30.0) -> None:
        """Prepare the command that leads to the node."""
        self.target = target
        self._limit_s = limit_s
        nonce = secrets.token_hex(8)
        archive = agent_archive()
        if target.host is not None:
            self._command = ssh_command(target.host, bootstrap("python3", archive, nonce))
        else:
            root = () if target.root is None else (str(target.root),)
            self._command = bootstrap(sys.executable, archive, nonce, *root)
        self._incoming = Incoming(nonce)
        self._lines: deque[bytes] = deque()
        self._abandoned: set[int] = set()
        self._number = 0
        self._child: Child | None = None

    async def __aenter__(self) -> Self:
        """Start the way to the node. Raises NodeUnreachable when its program is not there."""
        try:
            self._child = await start_child(self._command)
        except OSError as error:
            message = f"{self.target.name}: {self._command[0]} cannot be started: {error.strerror}"
            raise NodeUnreachable(message, hint="install it: sudo apt install openssh-client") from None
        self._child.write(agent_archive())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the agent; after an error at once."""
        if self._child is not None:
            await self._child.close(_FAREWELL_S if kind is None else 0.0)

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

    async def sample(self, sources: Sequence[Read], *, interval_s: Seconds, count: int = 0) -> AsyncIterator[Sample]:
        """Read files, patterns and commands again and again, ``count`` times or until the iteration is left.

        Each tick has all texts, whole, as they are now; what cannot be read then has none.
        """
        number = self._ask(
            "sample", sources=[encode_read(read) for read in sources], interval_s=interval_s, count=count
        )
        self._abandoned.add(number)
        texts: dict[str, str] = {}
        while True:
            async with self._explained(self._limit_s + interval_s):
                raw, last = await self._next(number)
                if last:
                    self._abandoned.discard(number)
                    return
                tick = decode_part(raw, Tick)
            texts.update(tick.changed)
            for path in tick.gone:
                texts.pop(path, None)
            yield Sample(
                tick=tick.tick,
                monotonic_ns=tick.monotonic_ns,
                wall_ns=tick.wall_ns,
                missed=tick.missed,
                texts=dict(texts),
            )

    def _ask(self, verb: str, **fields: object) -> int:
        if self._child is None:
            raise RuntimeError(_NOT_OPEN)
        self._number += 1
        self._child.write(encode_request(self._number, verb, **fields))
        return self._number

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

    async def _next(self, number: int) -> tuple[msgspec.Raw, bool]:
        """Return what the next line for a request carries, and whether it is the last one."""
        while True:
            answer = decode_answer(await self._line(), number, self._abandoned - {number})
            if answer.id == number:
                return answer.carried, answer.last
            if answer.last:
                self._abandoned.discard(answer.id)

    async def _line(self) -> bytes:
        if self._child is None:
            raise RuntimeError(_NOT_OPEN)
        while not self._lines:
            piece = await self._child.read()
            if not piece:
                await self._child.wait(_ENDED_S)
                raise self._end()
            self._lines.extend(self._incoming.feed(piece))
        return self._lines.popleft()

    @asynccontextmanager
    async def _explained(self, limit_s: Seconds) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(limit_s):
                yield
        except TimeoutError:
            complaints = self._child.complaints if self._child else ""
            raise timeout_error(self.target.name, self.target.host, limit_s, complaints) from None
        except (NotTheAgent, AgentRefused) as error:
            raise self._end(refused=str(error)) from None

    def _end(self, *, refused: str = "") -> NodeError:
        child = self._child
        return error_of_end(
            self.target.name,
            self.target.host,
            child.code if child else None,
            child.complaints if child else "",
            greeted=self._incoming.greeted,
            refused=refused,
        )
