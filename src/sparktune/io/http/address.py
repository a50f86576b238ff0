"""Where a server is: what people write as its URL, made one form."""

__all__ = ["Address", "parse_address"]

from dataclasses import dataclass
from urllib.parse import urlsplit

from sparktune.errors import UsageError
from sparktune.io.load.target import Target

_ROUTES = ("/chat/completions", "/completions", "/models", "/responses")
_EXAMPLE = "write it like http://localhost:8000/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A server and the path in front of its routes (``""``, or ``/llm`` behind a proxy), without a slash at its end."""

    target: Target
    prefix: str = ""

    @property
    def authority(self) -> str:
        """Host and port as they are shown and sent."""
        return self.target.authority

    @property
    def root(self) -> str:
        """The URL that paths such as ``/version`` and ``/v1/models`` are added to."""
        return f"{'https' if self.target.tls else 'http'}://{self.authority}{self.prefix}"

    @property
    def base_url(self) -> str:
        """The URL as it is recorded; it ends in /v1."""
        return f"{self.root}/v1"


def parse_address(text: str) -> Address:
    """Read a server's URL: with or without scheme, ``/v1``, a slash at the end, or the route of an OpenAI call.

    Raises UsageError when it names no host, or carries a user name and password: those would be recorded.
    """
    written = text.strip()
    if "://" not in written:
        written = f"http://{written}"
    if "@" in written:
        message = "the server's address carries a user name or password"
        raise UsageError(message, hint="take it out; give an API key by SPARKTUNE_API_KEY or --api-key-file")
    try:
        target = Target.from_url(written)
        prefix = _prefix(urlsplit(written).path)
    except UsageError as error:
        raise UsageError(str(error), hint=_EXAMPLE) from None
    except UnicodeError:
        message = f"{written!r} holds characters that no address can hold"
        raise UsageError(message, hint=_EXAMPLE) from None
    return Address(target=target, prefix=prefix)


def _prefix(path: str) -> str:
    path = path.rstrip("/")
    for route in _ROUTES:
        if path.endswith(f"/v1{route}"):
            path = path.removesuffix(route)
            break
    prefix = path.removesuffix("/v1").rstrip("/")
    prefix.encode("ascii")  # what is not ASCII must be written as %XX: the load is sent as it is written
    return prefix
