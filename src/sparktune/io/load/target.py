"""Where requests go and how long they may take."""

__all__ = ["Limits", "Target"]

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit

from sparktune.errors import UsageError
from sparktune.units import Bytes, Seconds

_DEFAULT_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[0-9A-Za-z._:%~-]*")
_HINT = "write it like http://127.0.0.1:8000 or https://gpu-box.lan:8443"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A server: ``host`` is a name or an address without brackets.

    ``server_name`` is the name that its certificate must carry (default: the host), ``ca_file`` a PEM file to trust
    instead of the system's authorities. Both matter only with ``tls``.
    """

    host: str
    port: int
    tls: bool = False
    server_name: str = ""
    ca_file: str = ""

    @classmethod
    def from_url(cls, url: str, *, server_name: str = "", ca_file: str = "") -> "Target":
        """Take scheme, host and port from an http(s) URL; its path belongs to the request and is not looked at.

        Raises UsageError when there is no such thing in it.
        """
        if not url.isprintable() or " " in url:
            message = f"the URL {url!r} has blanks or control characters in it"
            raise UsageError(message, hint=_HINT)
        try:
            parts = urlsplit(url)
            port = parts.port
            host = _host(parts)
        except ValueError as error:
            message = f"the URL {url!r} cannot be understood: {error}"
            raise UsageError(message, hint=_HINT) from error
        if parts.scheme not in _DEFAULT_PORTS or not host or port == 0:
            message = f"the URL {url!r} is not http(s)://HOST:PORT"
            raise UsageError(message, hint=_HINT)
        if parts.username is not None or parts.query or parts.fragment:
            # The URL itself stays out of the message: it may hold a password.
            message = f"the URL of {host} carries a user, a query or a fragment, which a server's address cannot have"
            raise UsageError(message, hint=_HINT)
        return cls(
            host=host,
            port=port or _DEFAULT_PORTS[parts.scheme],
            tls=parts.scheme == "https",
            server_name=server_name,
            ca_file=ca_file,
        )

    @property
    def authority(self) -> str:
        """What the Host header says (RFC 9110 section 7.2): brackets around IPv6, no zone, no default port."""
        host = self.host.partition("%")[0]
        shown = f"[{host}]" if ":" in host else host
        default = _DEFAULT_PORTS["https" if self.tls else "http"]
        return shown if self.port == default else f"{shown}:{self.port}"

    @property
    def certificate_name(self) -> str:
        """The name or address that the server's certificate must carry."""
        return self.server_name or self.host.partition("%")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When to give up on a connection, on a silent server (nothing sent or received), and on a request as a whole.

    ``received_bytes`` bounds what is kept of one answer: a server that floods must not take this machine's memory. A
    stream of 100,000 tokens with all that engines add to a chunk has about 40 MB.
    """

    connect_s: Seconds = 10.0
    stall_s: Seconds = 120.0
    timeout_s: Seconds = 3600.0
    received_bytes: Bytes = 256 * 1024 * 1024


def _host(parts: SplitResult) -> str:
    # Names outside ASCII go over the wire in their IDNA form; RFC 6874 writes an IPv6 zone as %25.
    host = unquote(parts.hostname or "")
    # Also for what is ASCII: an empty label, or one of more than 63 characters, is no name that can be asked for.
    ascii_host = host if ":" in host else host.encode("idna").decode("ascii")
    if not _HOST.fullmatch(ascii_host):
        message = f"{host!r} is no name or address of a host"
        raise ValueError(message)
    return ascii_host
