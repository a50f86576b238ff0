"""The proxy: listens, relays, and on its end lets the answers that are under way finish."""

__all__ = ["Proxy"]

import asyncio
import errno
import socket
import ssl
from collections.abc import Callable
from functools import partial
from typing import cast

from sparktune.errors import ConnectFailed, UsageError
from sparktune.io.load.target import Target
from sparktune.io.load.tls import client_context
from sparktune.io.record.feed import Feed
from sparktune.io.record.host_header import HostRewriter
from sparktune.io.record.relay import Relay
from sparktune.io.time_limit import time_limit
from sparktune.units import Seconds

_BACKLOG = 1024
_TAKEN = "another program has that port: take another one"
_NOT_OURS = "name an address of this machine with --host and a port that this user may take"
_CONNECT_S: Seconds = 10.0
_SAY_REFUSED_EVERY_S: Seconds = 10.0


class Proxy:
    """Passes connections on to one server, and tells ``feed`` what passed."""

    def __init__(self, target: Target, feed: Feed, say: Callable[[str], None]) -> None:
        """Remember where to; ``say`` gets what a person should know."""
        self._target = target
        self._feed = feed
        self._say = say
        self._relays: dict[int, Relay] = {}
        self._count = 0
        self._server: asyncio.Server | None = None
        self._addresses: list[str] = []
        self._context: ssl.SSLContext | None = None
        self._said_refused_s = float("-inf")
        self._empty = asyncio.Event()
        self._named = target.tls or not _is_address(target.host)

    @property
    def connections(self) -> int:
        """Connections that are open now."""
        return len(self._relays)

    @property
    def served(self) -> int:
        """Connections that were ever opened."""
        return self._count

    async def start(self, host: str, port: int) -> int:
        """Resolve the server's name, listen, and return the port.

        Raises ConnectFailed for a name that is not known, UsageError for an address that cannot be listened on.
        """
        self._addresses = await _resolve(self._target)
        self._context = client_context(self._target) if self._target.tls else None
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(self._relay, host, port, backlog=_BACKLOG)
        except (OSError, OverflowError) as error:
            why = error.strerror if isinstance(error, OSError) else None
            message = f"cannot listen on {host}:{port}: {why or error}"
            taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
            raise UsageError(message, hint=_TAKEN if taken else _NOT_OURS) from None
        return cast("int", self._server.sockets[0].getsockname()[1])

    def stop_accepting(self) -> None:
        """Take no new connections; those that are open go on."""
        if self._server is not None:
            self._server.close()

    def close(self, connections: tuple[int, ...]) -> None:
        """Close connections on which no answer is due."""
        for number in connections:
            relay = self._relays.get(number)
            if relay is not None:
                relay.close()

    def close_all(self) -> None:
        """Close every connection as it is."""
        self.close(tuple(self._relays))

    def abort_all(self) -> None:
        """Cut every connection off."""
        for relay in tuple(self._relays.values()):
            relay.abort()

    async def empty(self, limit_s: Seconds) -> bool:
        """Wait until no connection is open, or the limit is over; return whether none is."""
        if not self._relays:
            return True
        self._empty.clear()
        try:
            await asyncio.wait_for(self._empty.wait(), limit_s)
        except TimeoutError:
            return False
        return True

    def _relay(self) -> Relay:
        self._count += 1
        rename = HostRewriter(self._target.authority).take if self._named else None
        relay = Relay(self._count, self._feed, self._open, self._over, self._refused, rename)
        self._relays[self._count] = relay
        return relay

    async def _open(self, factory: Callable[[], asyncio.Protocol]) -> object:
        """Connect to the first address that answers; when none does, the name may mean others by now."""
        try:
            return await self._open_first(factory)
        except OSError:
            if _is_address(self._target.host):
                raise
        self._addresses = await _resolve(self._target)
        return await self._open_first(factory)

    async def _open_first(self, factory: Callable[[], asyncio.Protocol]) -> object:
        connect = partial(asyncio.get_running_loop().create_connection, factory, port=self._target.port)
        tls = {"ssl": self._context, "server_hostname": self._target.certificate_name} if self._context else {}
        failure: OSError | None = None
        for address in self._addresses:
            try:
                async with time_limit(_CONNECT_S):
                    return await connect(host=address, **tls)
            except TimeoutError:
                failure = OSError(errno.ETIMEDOUT, f"no answer within {_CONNECT_S:.0f} s")
            except OSError as error:
                failure = error
        raise failure or OSError(errno.EHOSTUNREACH, "its name has no address")

    def _over(self, relay: Relay) -> None:
        self._relays.pop(relay.number, None)
        if not self._relays:
            self._empty.set()

    def _refused(self, error: OSError) -> None:
        now_s = asyncio.get_running_loop().time()
        if now_s - self._said_refused_s >= _SAY_REFUSED_EVERY_S:
            self._said_refused_s = now_s
            why = error.strerror or str(error)
            self._say(f"cannot reach {self._target.authority}: {why}; clients get status 502")


async def _resolve(target: Target) -> list[str]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except OSError as error:
        message = f"the name {target.host} has no address: {error.strerror or error}"
        raise ConnectFailed(message, hint="is it written as on the machine that serves?") from None
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def _is_address(host: str) -> bool:
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, host.partition("%")[0])
        except OSError:
            continue
        return True
    return host == "localhost"
