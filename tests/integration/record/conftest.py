"""A recording in this process, beside servers that play scripts."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.support.reference import reference, reference_process

from sparktune.io.load.target import Target
from sparktune.io.record.child import RecordingProcess
from sparktune.io.record.proxy import Proxy

__all__ = ["reference", "reference_process"]

_PATIENCE_S = 30.0


@dataclass
class Running:
    """A proxy that listens at ``port``; ``said`` is what a person was told."""

    port: int
    path: Path
    proxy: Proxy
    child: RecordingProcess
    said: list[str] = field(default_factory=list)

    async def client(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect as a client does."""
        return await asyncio.open_connection("127.0.0.1", self.port)

    def socket(self) -> socket.socket:
        """Connect with a plain socket that does not block."""
        sock = socket.create_connection(("127.0.0.1", self.port))
        sock.setblocking(False)
        return sock

    async def lines(self) -> list[dict[str, Any]]:
        """End the recording, and return what is in the file."""
        self.proxy.stop_accepting()
        self.proxy.close_all()
        if not await self.proxy.empty(_PATIENCE_S):
            self.proxy.abort_all()
        await self.child.end(0)
        return [json.loads(line) for line in self.path.read_text().splitlines()]

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is true."""
        async with asyncio.timeout(_PATIENCE_S):
            while not condition():  # noqa: ASYNC110 - threads and the system set no event of this loop
                await asyncio.sleep(0.002)


@pytest.fixture
def recording(tmp_path: Path) -> Callable[..., AbstractAsyncContextManager[Running]]:
    """Return what starts a recording in front of a server."""

    @asynccontextmanager
    async def start(url: str, *, ca_file: str = "", path: Path = tmp_path / "t.jsonl") -> AsyncIterator[Running]:
        said: list[str] = []
        child = RecordingProcess(said.append, lambda _idle: None)
        await child.start(path, with_text=False)
        proxy = Proxy(Target.from_url(url, ca_file=ca_file), child.feed, said.append)
        running = Running(await proxy.start("127.0.0.1", 0), path, proxy, child, said)
        try:
            yield running
        finally:
            proxy.stop_accepting()
            proxy.abort_all()
            await proxy.empty(2.0)
            await child.end(0)

    return start
