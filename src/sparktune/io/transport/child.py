"""A child process whose output is taken in pieces, only as fast as it is wanted, and which always comes to an end."""

__all__ = ["Child", "start_child"]

import asyncio
import os
import signal
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import cast

from sparktune.io.time_limit import time_limit
from sparktune.units import Seconds

_HIGH_WATER_BYTES = 4 * 1024 * 1024
_MOST_COMPLAINTS = 16 * 1024
_KILLED_S = 2.0
_STDIN, _STDOUT, _STDERR = 0, 1, 2


class Child(asyncio.SubprocessProtocol):
    """One process; ``complaints`` is the end of what it wrote to stderr."""

    def __init__(self) -> None:
        """Wait to be connected."""
        self._pieces: deque[bytes] = deque()
        self._held = 0
        self._news = asyncio.Event()
        self._stdout_ended = False
        self._over = asyncio.Event()
        self._open_pipes = {_STDOUT, _STDERR}
        self._exited = asyncio.Event()
        self._stdin_closed = asyncio.Event()
        self._complaints = b""
        self._transport: asyncio.SubprocessTransport | None = None

    @property
    def complaints(self) -> str:
        """The end of stderr."""
        return self._complaints.decode("utf-8", "replace")

    @property
    def code(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        return self._transport.get_returncode() if self._transport else None

    def write(self, data: bytes) -> None:
        """Send to stdin, without waiting. What nobody reads any more is dropped."""
        pipe = self._pipe(_STDIN)
        if pipe is not None and not pipe.is_closing():
            cast("asyncio.WriteTransport", pipe).write(data)

    async def read(self) -> bytes:
        """Wait for more of stdout; empty when it has ended."""
        while not self._pieces and not self._stdout_ended:
            self._news.clear()
            await self._news.wait()
        if not self._pieces:
            return b""
        piece = self._pieces.popleft()
        self._held -= len(piece)
        if self._held < _HIGH_WATER_BYTES and (pipe := self._pipe(_STDOUT)) and not self._stdout_ended:
            cast("asyncio.ReadTransport", pipe).resume_reading()
        return piece

    async def wait(self, limit_s: Seconds) -> None:
        """Wait until it has ended and said everything, at most so long."""
        with suppress(TimeoutError):
            async with time_limit(limit_s):
                await self._over.wait()

    async def ask_to_end(self, limit_s: Seconds) -> None:
        """Send SIGTERM, close stdin, and wait until it has ended, at most so long."""
        if self._transport is None or self._exited.is_set():
            return
        with suppress(ProcessLookupError):
            os.kill(self._transport.get_pid(), signal.SIGTERM)
        if (pipe := self._pipe(_STDIN)) is not None:
            pipe.close()
        await self._drain(limit_s)

    async def close(self, farewell_s: Seconds) -> None:
        """Close stdin, wait, and kill it when it does not go by itself, or when whoever waits is cancelled."""
        transport = self._transport
        if transport is None:
            return
        ending = asyncio.ensure_future(self._ended(transport, farewell_s))
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError:
            self._kill(transport)
            await ending  # its end must be seen here: the loop may be closed right after
            raise
        finally:
            transport.close()

    async def _ended(self, transport: asyncio.SubprocessTransport, farewell_s: Seconds) -> None:
        pipe = cast("asyncio.WriteTransport | None", self._pipe(_STDIN))
        if pipe is not None:
            pipe.close()
        await self._drain(farewell_s)
        if not self._exited.is_set():
            self._kill(transport)
            await self._drain(_KILLED_S)
        if pipe is not None:
            # Only what still holds something can be given up: without, it is on its way to being closed by itself.
            if pipe.get_write_buffer_size():
                pipe.abort()
            with suppress(TimeoutError):
                async with time_limit(_KILLED_S):
                    await self._stdin_closed.wait()

    def _kill(self, transport: asyncio.SubprocessTransport) -> None:
        """Send SIGKILL. Not by the transport: that asks for the exit code, which asyncio waits for elsewhere."""
        if not self._exited.is_set():
            with suppress(ProcessLookupError):
                os.kill(transport.get_pid(), signal.SIGKILL)

    async def _drain(self, limit_s: Seconds) -> None:
        """Wait until it has exited, at most so long, taking what it may still want to say."""
        with suppress(TimeoutError):
            async with time_limit(limit_s):
                while await self.read():
                    pass
                await self._exited.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Hold stdout for ``read``; of stderr keep the end."""
        if fd == _STDERR:
            self._complaints = (self._complaints + data)[-_MOST_COMPLAINTS:]
            return
        self._pieces.append(data)
        self._held += len(data)
        self._news.set()
        if self._held >= _HIGH_WATER_BYTES and (pipe := self._pipe(_STDOUT)):
            cast("asyncio.ReadTransport", pipe).pause_reading()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's signature
        """Note that a pipe has ended."""
        if fd == _STDIN:
            self._stdin_closed.set()
        if fd == _STDOUT:
            self._stdout_ended = True
            self._news.set()
        self._open_pipes.discard(fd)
        self._settle()

    def process_exited(self) -> None:
        """Note that the process has ended."""
        self._exited.set()
        self._settle()

    def _settle(self) -> None:
        if self._exited.is_set() and not self._open_pipes:
            self._over.set()

    def _pipe(self, fd: int) -> asyncio.BaseTransport | None:
        return self._transport.get_pipe_transport(fd) if self._transport else None


async def start_child(command: Sequence[str]) -> Child:
    """Start a program in a session of its own: Ctrl-C reaches this program first. Raises OSError.

    When whoever waits for it is cancelled, it is ended before that goes on: asyncio would leave its pipes open.
    """
    start = asyncio.ensure_future(asyncio.get_running_loop().subprocess_exec(Child, *command, start_new_session=True))
    try:
        _transport, child = await asyncio.shield(start)
    except asyncio.CancelledError:
        with suppress(OSError):
            _transport, child = await start
            await child.close(0.0)
        raise
    return child
