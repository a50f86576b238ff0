"""Where a host name leads."""

__all__ = ["Address", "Route"]

import socket
from collections.abc import Iterator, Sequence

from sparktune.errors import ConnectFailed
from sparktune.io.load.target import Target

_SocketAddress = tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]
Address = tuple[socket.AddressFamily, socket.SocketKind, int, str, _SocketAddress]
"""As ``socket.getaddrinfo`` gives it: family, kind, protocol, canonical name, address."""


class Route:
    """The addresses of a target; once a connection worked, its address comes first."""

    def __init__(self, target: Target) -> None:
        """Ask the system's resolver, once. Raises ConnectFailed when the name leads nowhere."""
        try:
            found: Sequence[Address] = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            message = f"the name {target.host!r} cannot be resolved: {error}"
            raise ConnectFailed(message, hint="check the spelling, or give the address of the server") from error
        self._addresses = list(found)

    def __iter__(self) -> Iterator[Address]:
        """Go through a copy: an address that is preferred meanwhile changes the next walk only."""
        return iter(tuple(self._addresses))

    def prefer(self, address: Address) -> None:
        """Put the address first."""
        self._addresses.remove(address)
        self._addresses.insert(0, address)
