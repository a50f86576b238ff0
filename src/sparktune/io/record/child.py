"""The recording process as its parent sees it: started with the file, told what passed, listened to."""

__all__ = ["RecordingProcess", "Told"]

import asyncio
import os
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from pathlib import Path

import msgspec

from sparktune.bench.traffic.recorder import Tally
from sparktune.io.record.feed import Feed
from sparktune.io.record.frames import Kind
from sparktune.io.record.trace_file import TraceFile
from sparktune.units import Seconds

_END_S: Seconds = 60.0
_QUIET_S: Seconds = 2.0
_MODULE = ("-P", "-m", "sparktune.io.record")  # -P: modules of the folder that one is in are not ours
_LINE_BYTES = 1 << 20


class Told(msgspec.Struct, frozen=True):
    """One line of the recording process; what is None is not in it."""

    tally: Tally | None = None
    idle: tuple[int, ...] | None = None
    trouble: str | None = None
    final: bool = False


class RecordingProcess:
    """Writes to one new file; whatever becomes of it, the bytes that pass do not depend on it."""

    def __init__(self, say: Callable[[str], None], idle: Callable[[tuple[int, ...]], None]) -> None:
        """``say`` gets what a person should know, ``idle`` the connections without an open request."""
        self._say = say
        self._idle = idle
        self._process: Process | None = None
        self._listening: asyncio.Task[None] | None = None
        self._feed: Feed | None = None
        self.tally = Tally()
        self.broken = ""

    @property
    def feed(self) -> Feed:
        """Where the proxy tells what passed."""
        if self._feed is None:
            message = "the recording process was not started"
            raise RuntimeError(message)
        return self._feed

    async def start(self, path: Path, *, with_text: bool) -> None:
        """Create the file, and start the process. Raises UsageError for a file that cannot be created."""
        file_fd = TraceFile.create(path)
        ours, theirs = socket.socketpair()
        try:
            arguments = (*_MODULE, str(theirs.fileno()), str(file_fd), str(int(with_text)))
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, *arguments, stdout=PIPE, pass_fds=(theirs.fileno(), file_fd), limit=_LINE_BYTES
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
            os.close(file_fd)
        self._feed = Feed(ours, self._failed)
        self._listening = asyncio.create_task(self._listen(self._process))

    async def end(self, at_ns: int) -> None:
        """Let it write what is left, and wait until it has; a process that does not end is ended."""
        process, listening = self._process, self._listening
        if process is None or listening is None:
            return
        self.feed.tell(Kind.END, 0, at_ns)
        try:
            await asyncio.wait({listening}, timeout=_QUIET_S)
            if not listening.done():
                self._say(f"working off what has passed, for {_END_S:.0f} s at most")
            await asyncio.wait_for(asyncio.shield(listening), _END_S)
            await asyncio.wait_for(process.wait(), _END_S)
        except TimeoutError:
            self._failed("it does not end")
            process.kill()
            await process.wait()
        self.feed.close()

    async def _listen(self, process: Process) -> None:
        if process.stdout is None:
            return
        final = False
        while line := await process.stdout.readline():
            told = msgspec.json.decode(line, type=Told)
            self.tally = told.tally or self.tally
            if told.trouble:
                self._say(told.trouble)
            if told.idle:
                self._idle(told.idle)
            final = final or told.final
        if not final:
            self._failed("it ended by itself")

    def _failed(self, why: str) -> None:
        if not self.broken:
            self.broken = why
            self._say(f"nothing more is recorded: the recording process failed ({why}); requests are passed on")
