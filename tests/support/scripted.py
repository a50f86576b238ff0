"""An HTTP server that answers what a test wrote down, byte by byte if need be."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One answer. ``raw`` replaces everything else; ``never`` takes the request and stays silent."""

    status: int = 200
    body: bytes = b"{}"
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    never: bool = False

    def encode(self) -> bytes:
        """Return the answer as bytes."""
        if self.raw is not None:
            return self.raw
        lines = [f"HTTP/1.1 {self.status} Scripted", f"Content-Type: {self.content_type}"]
        lines += [f"Content-Length: {len(self.body)}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        return "\r\n".join([*lines, "", ""]).encode() + self.body


@dataclass(frozen=True)
class Request:
    """What a client sent."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


class Scripted:
    """Answers by path; a list of replies is used up one by one, the last one stays. Other paths answer 404."""

    def __init__(self, routes: Mapping[str, Reply | Sequence[Reply]]) -> None:
        self._routes = {path: [reply] if isinstance(reply, Reply) else list(reply) for path, reply in routes.items()}
        self.requests: list[Request] = []
        self.url = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        try:
            request = await _read(reader)
            reply = self._choose(request) if request else Reply(status=400, body=b"Invalid HTTP request received.")
            if reply.never:
                await reader.read()
            writer.write(reply.encode())
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def _choose(self, request: Request) -> Reply:
        self.requests.append(request)
        replies = self._routes.get(request.path, [NOT_FOUND])
        return replies.pop(0) if len(replies) > 1 else replies[0]


NOT_FOUND = Reply(status=404, body=b'{"detail":"Not Found"}')


def json_reply(value: object, status: int = 200) -> Reply:
    """Answer JSON."""
    return Reply(status=status, body=json.dumps(value).encode())


def models(*names: str, **fields: object) -> Reply:
    """Answer OpenAI's list of models."""
    return json_reply({"object": "list", "data": [{"id": name, "object": "model", **fields} for name in names]})


@asynccontextmanager
async def scripted(routes: Mapping[str, Reply | Sequence[Reply]]) -> AsyncIterator[Scripted]:
    """Serve the routes on a free port of this machine."""
    script = Scripted(routes)
    server = await asyncio.start_server(script.answer, "127.0.0.1", 0)
    script.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield script
    finally:
        server.close()
        await server.wait_closed()


async def _read(reader: asyncio.StreamReader) -> Request | None:
    first = await reader.readexactly(1)
    if first == b"\x16":  # the start of a TLS handshake
        return None
    head = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    start, *lines = head.rstrip("\r\n").split("\r\n")
    method, path, _ = start.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, path, headers, body)
