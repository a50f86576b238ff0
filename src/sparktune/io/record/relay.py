"""One client's connection and the one to the server behind it: bytes go across as they come.

Whatever one side does is done to the other: an end of sending is one there, a reset is one there. Nothing is parsed,
so that keep-alive, pipelining, chunks, interim answers and protocol changes are as they are without a proxy.
"""

__all__ = ["OpenUpstream", "Relay"]

import asyncio
import fcntl
import socket
import struct
import termios
import time
from collections.abc import Awaitable, Callable
from typing import cast

from sparktune.io.record.feed import Feed
from sparktune.io.record.frames import Kind
from sparktune.units import Seconds

OpenUpstream = Callable[[Callable[[], asyncio.Protocol]], Awaitable[object]]
"""Connects to the server with a protocol of its own making. Raises OSError."""

_RESET = struct.pack("ii", 1, 0)
_RESET_AFTER_S: Seconds = 10.0
_LOOK_AGAIN_S: Seconds = 0.002
_READ_ON_S: Seconds = 2.0
_BUFFERED_BYTES = 256 * 1024
_BAD_GATEWAY = (
    b"HTTP/1.1 502 Bad Gateway\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
)
_WORDS = b'{"error":{"message":"sparktune record cannot reach the server behind it","type":"bad_gateway"}}'


class Relay(asyncio.Protocol):
    """The client's side of a connection; it opens the server's side by itself.

    ``over`` is called once when both sides are closed, ``refused`` when the server cannot be reached.
    """

    def __init__(
        self,
        number: int,
        feed: Feed,
        open_upstream: OpenUpstream,
        over: Callable[["Relay"], None],
        refused: Callable[[OSError], None],
        rename: Callable[[bytes], bytes] | None = None,
    ) -> None:
        """Begin with neither side; ``rename`` returns what is sent for bytes of the client."""
        self._rename = rename
        self.number = number
        self._feed = feed
        self._open_upstream = open_upstream
        self._over = over
        self._refused = refused
        self._client: asyncio.Transport | None = None
        self._server: asyncio.Transport | None = None
        self._opening: asyncio.Task[None] | None = None
        self._client_done = self._server_done = False
        self._early: list[bytes] = []
        self._closed = self._refusing = False
        self._resetting: set[asyncio.Task[None]] = set()

    # The client's side.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Read on once the server is there: the system holds what comes meanwhile."""
        self._client = cast("asyncio.Transport", transport)
        self._client.set_write_buffer_limits(high=_BUFFERED_BYTES)
        self._client.pause_reading()
        self._feed.tell(Kind.OPENED, self.number, time.monotonic_ns())
        self._opening = asyncio.ensure_future(self._connect())

    def data_received(self, data: bytes) -> None:
        """Pass on what the client sent."""
        at_ns = time.monotonic_ns()
        if self._server is not None:
            self._server.write(data if self._rename is None else self._rename(data))
        elif not self._refusing:  # it was read before reading was paused
            self._early.append(data)
        self._feed.tell(Kind.UP, self.number, at_ns, data)

    def eof_received(self) -> bool:
        """The client sends no more; it may still read. A TLS connection cannot be half closed: there it has left."""
        self._client_done = True
        if not self._refusing:  # else it is the server that was not there
            self._feed.tell(Kind.CLIENT_DONE, self.number, time.monotonic_ns())
        if self._server is None:
            return not self._refusing
        if self._server_done or not self._server.can_write_eof():
            self.close()
            return False
        self._server.write_eof()
        return True

    def pause_writing(self) -> None:
        """The client reads slowly: so does this side from the server."""
        if self._server is not None:
            self._server.pause_reading()

    def resume_writing(self) -> None:
        """The client has caught up."""
        if self._server is not None and not self._server_done:
            self._server.resume_reading()

    def connection_lost(self, error: Exception | None) -> None:
        """The client is gone: with a reset, or since this side closed it."""
        if self._opening is not None:
            self._opening.cancel()
        gone = Kind.SERVER_GONE if self._refusing else Kind.CLIENT_GONE
        self._feed.tell(gone, self.number, time.monotonic_ns())
        self._client = None
        if self._server is not None:
            self._end(self._server, reset=error is not None)
        self._end_if_both()

    async def _connect(self) -> None:
        try:
            await self._open_upstream(lambda: _ServerSide(self))
        except OSError as error:
            self._refused(error)
            self._refuse()

    def _refuse(self) -> None:
        """Answer for the server; what the client still sends is read, or the system would reset the answer away."""
        client = self._client
        if client is None:
            return
        self._server_done = self._refusing = True
        client.write(_BAD_GATEWAY % (len(_WORDS), _WORDS))
        client.write_eof()
        client.resume_reading()
        asyncio.get_running_loop().call_later(_READ_ON_S, client.close)

    # The server's side, told by its protocol.

    def server_made(self, transport: asyncio.Transport) -> None:
        """The server is there."""
        self._server = transport
        transport.set_write_buffer_limits(high=_BUFFERED_BYTES)
        if self._client is None:
            transport.abort()
            return
        early, self._early = b"".join(self._early), []
        if early:
            transport.write(early if self._rename is None else self._rename(early))
        self._client.resume_reading()
        if self._client_done and transport.can_write_eof():
            transport.write_eof()

    def server_data(self, data: bytes) -> None:
        """Pass on what the server sent."""
        at_ns = time.monotonic_ns()
        if self._client is not None:
            self._client.write(data)
        self._feed.tell(Kind.DOWN, self.number, at_ns, data)

    def server_eof(self) -> bool:
        """The server sends no more."""
        self._server_done = True
        self._feed.tell(Kind.SERVER_GONE, self.number, time.monotonic_ns())
        if self._client is None or self._client_done:
            self.close()
            return False
        self._client.write_eof()
        return self._server is not None and self._server.can_write_eof()

    def server_slow(self, *, slow: bool) -> None:
        """The server reads slowly, or has caught up: so does this side from the client."""
        if self._client is not None and not self._client_done:
            if slow:
                self._client.pause_reading()
            else:
                self._client.resume_reading()

    def server_lost(self, error: Exception | None) -> None:
        """The server is gone."""
        self._server = None
        self._feed.tell(Kind.SERVER_GONE, self.number, time.monotonic_ns())
        if self._client is not None and (error is not None or not self._client.is_closing()):
            self._end(self._client, reset=error is not None)
        self._end_if_both()

    # Ends.

    def close(self) -> None:
        """Close both sides once what they were sent is out."""
        for transport in (self._client, self._server):
            if transport is not None:
                transport.close()

    def abort(self) -> None:
        """Cut both sides off."""
        for transport in (self._client, self._server):
            if transport is not None:
                transport.abort()

    def _end(self, transport: asyncio.Transport, *, reset: bool) -> None:
        if not reset:
            transport.close()
            return
        task = asyncio.ensure_future(_reset(transport))
        self._resetting.add(task)
        task.add_done_callback(self._resetting.discard)

    def _end_if_both(self) -> None:
        if self._client is None and self._server is None and not self._closed:
            self._closed = True
            self._over(self)


class _ServerSide(asyncio.Protocol):
    """Tells its relay what the server does."""

    def __init__(self, relay: Relay) -> None:
        self._relay = relay

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._relay.server_made(cast("asyncio.Transport", transport))

    def data_received(self, data: bytes) -> None:
        self._relay.server_data(data)

    def eof_received(self) -> bool:
        return self._relay.server_eof()

    def pause_writing(self) -> None:
        self._relay.server_slow(slow=True)

    def resume_writing(self) -> None:
        self._relay.server_slow(slow=False)

    def connection_lost(self, error: Exception | None) -> None:
        self._relay.server_lost(error)


async def _reset(transport: asyncio.Transport) -> None:
    """Reset a connection as the other side was, but not before what came before the reset has arrived."""
    sock = transport.get_extra_info("socket")
    until = time.monotonic() + _RESET_AFTER_S
    while not transport.is_closing() and (transport.get_write_buffer_size() or _unsent(sock)):
        if time.monotonic() > until:
            break
        await asyncio.sleep(_LOOK_AGAIN_S)
    if sock is not None and not transport.is_closing():
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    transport.abort()


def _unsent(sock: socket.socket | None) -> int:
    """Return the bytes that the other end has not acknowledged (tcp(7), SIOCOUTQ)."""
    if sock is None or sock.fileno() < 0:
        return 0
    waiting: tuple[int] = struct.unpack("i", fcntl.ioctl(sock.fileno(), termios.TIOCOUTQ, b"\0" * 4))
    return waiting[0]
