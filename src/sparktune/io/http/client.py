"""One HTTP session to one server: bounded answers, bounded waiting, errors that a person can read."""

__all__ = ["Client"]

from collections.abc import Mapping
from types import TracebackType
from typing import Self

import aiohttp

from sparktune import __version__
from sparktune.errors import NotOpenAI
from sparktune.io.http.address import Address
from sparktune.io.http.errors import transport_error
from sparktune.io.secrets import Secret, headers
from sparktune.model.engine import Answer
from sparktune.units import Bytes, Seconds

_CONNECT_S: Seconds = 10.0
_CONNECTIONS = 32
_MOST_BYTES: Bytes = 64 * 1024 * 1024  # a list of a million token ids has 8 MB
_FIRST_ERROR = 400
_LOST = (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)


class Client:
    """GET and POST below the server's root; use as an async context manager.

    Proxies of the environment and ``.netrc`` are not used, redirects are answers, cookies are forgotten.
    """

    def __init__(self, address: Address, secret: Secret | None = None, *, reuse: bool = True) -> None:
        """Keep where to ask; nothing is opened yet.

        Without ``reuse`` every request has a connection of its own: some servers close one after a stream without
        having said so (llama.cpp b11549 does), and the next request on it is lost.
        """
        self._reuse = reuse
        self.address = address
        self._secret = secret
        self._session: aiohttp.ClientSession | None = None
        self._answered = False

    @property
    def keyed(self) -> bool:
        """Whether an API key is sent."""
        return self._secret is not None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=_CONNECTIONS, force_close=not self._reuse),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={"User-Agent": f"sparktune/{__version__}", "Accept": "*/*", **headers(self._secret)},
            trust_env=False,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def get(self, path: str, *, timeout_s: Seconds) -> Answer:
        """Ask for ``path``. Raises EndpointError when no whole answer comes in time; any status is an answer."""
        return await self._ask("GET", path, None, timeout_s)

    async def post(self, path: str, body: bytes, *, timeout_s: Seconds) -> Answer:
        """Send JSON to ``path``. Raises EndpointError as ``get`` does."""
        return await self._ask("POST", path, body, timeout_s)

    async def _ask(self, method: str, path: str, body: bytes | None, timeout_s: Seconds) -> Answer:
        if self._session is None:
            message = "the client is used outside its context"
            raise RuntimeError(message)
        connect_s = min(_CONNECT_S, timeout_s)
        timeout = aiohttp.ClientTimeout(total=timeout_s, connect=connect_s)
        sent = {} if body is None else {"Content-Type": "application/json"}

        async def ask(session: aiohttp.ClientSession) -> Answer:
            async with session.request(
                method, self.address.root + path, data=body, headers=sent, timeout=timeout, allow_redirects=False
            ) as response:
                return self._answer(response.status, response.headers, await self._read(response, path))

        try:
            try:
                answer = await ask(self._session)
            except _LOST as error:
                if not self._answered or isinstance(error, aiohttp.ClientConnectorError):
                    raise
                # A server may close a connection that was kept open at the moment in which it is used again.
                answer = await ask(self._session)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            # What aiohttp raises can hold the request, key included: it goes no further.
            waited_s = connect_s if isinstance(error, aiohttp.ConnectionTimeoutError) else timeout_s
            raise transport_error(self.address, error, waited_s=waited_s) from None
        self._answered = self._reuse
        return answer

    async def _read(self, response: aiohttp.ClientResponse, path: str) -> bytes:
        parts: list[bytes] = []
        size = 0
        async for part in response.content.iter_any():
            parts.append(part)
            size += len(part)
            if size > _MOST_BYTES:
                message = f"{self.address.root}{path} answers with more than {_MOST_BYTES} bytes"
                raise NotOpenAI(message, hint="is this the address of an OpenAI-compatible server?")
        return b"".join(parts)

    def _answer(self, status: int, received: Mapping[str, str], body: bytes) -> Answer:
        fields = dict(received)
        if self._secret is not None:
            # Some servers repeat the key that they were sent; nothing that is shown or kept may hold it.
            body = self._secret.hide(body)
            if status >= _FIRST_ERROR:  # of an error every key is taken out, however short
                body = body.replace(self._secret.reveal().encode(), b"***")
            fields = {name: self._hidden(value) for name, value in fields.items()}
        kind = next((value for name, value in fields.items() if name.lower() == "content-type"), "")
        return Answer(status=status, body=body, content_type=kind, headers=fields)

    def _hidden(self, text: str) -> str:
        raw = text.encode("utf-8", "surrogateescape")
        return text if self._secret is None else self._secret.hide(raw).decode("utf-8", "surrogateescape")
