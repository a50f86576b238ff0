"""The lines that go to one node's agent and come back, however far away it is; what they mean is said elsewhere."""

__all__ = ["Conversation"]

import secrets
import sys
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self

import msgspec

from sparktune.agent.bootstrap import bootstrap
from sparktune.errors import HostError, NodeError, NodeUnreachable
from sparktune.io.cluster import NodeTarget
from sparktune.io.time_limit import time_limit
from sparktune.io.transport.child import Child, start_child
from sparktune.io.transport.complaints import error_of_end, timeout_error
from sparktune.io.transport.incoming import Incoming
from sparktune.io.transport.namesakes import trees_of_that_name
from sparktune.io.transport.package import agent_archive
from sparktune.io.transport.refusals import error_of_refusal
from sparktune.io.transport.ssh import ssh_command
from sparktune.io.transport.wire import AgentRefused, NotTheAgent, decode_answer, encode_request
from sparktune.units import Seconds

_NOT_OPEN = "the session is not open"
_FAREWELL_S = 2.0
# An agent on this machine takes back what it is doing when it gets SIGTERM; one behind ssh goes on when that ends.
_TAKE_BACK_S = 60.0
_ENDED_S = 2.0  # between the end of stdout and the exit code
# What an agent may say when it is asked to change something; whatever else it refuses is no answer of an agent.
_REFUSALS = frozenset({"busy", "void", "root", "journal", "transaction", "request", "command"})


class Conversation:
    """An agent that is started on entering and ended on leaving; requests go out, their answers are taken in order.

    ``shared`` uses the connection of the session before it, where ssh keeps one; else the way is a new one.
    """

    def __init__(self, target: NodeTarget, *, limit_s: Seconds = 30.0, shared: bool = True) -> None:
        """Prepare the command that leads to the node. Raises UsageError for a host name that is an option."""
        self.target = target
        self._limit_s = limit_s
        nonce = secrets.token_hex(8)
        archive = agent_archive()
        if target.host is not None:
            self._command = ssh_command(target.host, bootstrap("python3", archive, nonce), shared=shared)
        else:
            root = () if target.root is None else (str(target.root),)
            self._command = bootstrap(sys.executable, archive, nonce, *root)
        self._incoming = Incoming(nonce)
        self._lines: deque[bytes] = deque()
        self._abandoned: set[int] = set()
        self._number = 0
        self._changing = False  # it was asked to change something, and has not answered
        self._child: Child | None = None

    async def __aenter__(self) -> Self:
        """Open. Raises NodeUnreachable when the program of the way is not there."""
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close; after an error at once."""
        await self.close(at_once=kind is not None)

    async def open(self) -> None:
        """Start the way to the node. Raises NodeUnreachable when its program is not there."""
        try:
            self._child = await start_child(self._command)
        except OSError as error:
            message = f"{self.target.name}: {self._command[0]} cannot be started: {error.strerror}"
            raise NodeUnreachable(message, hint="install it: sudo apt install openssh-client") from None
        self._child.write(agent_archive())

    async def close(self, *, at_once: bool = False) -> None:
        """End the agent, without waiting for it when ``at_once``, unless it would leave this machine half changed."""
        if self._child is not None:
            if self._changing and self.target.host is None:
                await self._child.ask_to_end(_TAKE_BACK_S)
            await self._child.close(0.0 if at_once else _FAREWELL_S)

    def _ask(self, verb: str, **fields: object) -> int:
        if self._child is None:
            raise RuntimeError(_NOT_OPEN)
        self._number += 1
        self._child.write(encode_request(self._number, verb, **fields))
        return self._number

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
            async with time_limit(limit_s):
                yield
        except TimeoutError:
            complaints = self._child.complaints if self._child else ""
            raise timeout_error(self.target.name, self.target.host, limit_s, complaints) from None
        except AgentRefused as error:
            raise self._refusal(error) from None
        except NotTheAgent as error:
            raise self._end(refused=str(error)) from None

    def _refusal(self, error: AgentRefused) -> NodeError | HostError:
        if error.kind not in _REFUSALS:
            return self._end(refused=str(error))
        return error_of_refusal(self.target.name, self.target.host, error.kind, error.reason)

    def _end(self, *, refused: str = "") -> NodeError:
        child = self._child
        return error_of_end(
            self.target.name,
            self.target.host,
            child.code if child else None,
            child.complaints if child else "",
            greeted=self._incoming.greeted,
            refused=refused,
            namesakes=trees_of_that_name(self.target.host) if self.target.host else (),
        )
