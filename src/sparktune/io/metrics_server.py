"""A small HTTP server that hands out one text at ``/metrics``: whatever was put there last, at once."""

__all__ = ["MetricsServer"]

from types import TracebackType
from typing import Final, Self

from aiohttp import web

from sparktune.errors import UsageError

_GRACE_S: Final = 1.0
_PAGE: Final = "sparktune: what Prometheus scrapes is at /metrics\n"


class MetricsServer:
    """``text`` is what the next scrape gets, ``content_type`` what is said of it; ``port`` the one that is listened on.

    An ``async with`` block listens from its beginning to its end. Raises UsageError for an address that cannot be had.
    """

    def __init__(self, host: str, port: int, *, text: str, content_type: str) -> None:
        """Keep the address; port 0 takes any that is free."""
        self.text = text
        self.port = port
        self._host, self._type = host, content_type
        application = web.Application()
        application.router.add_get("/metrics", self._metrics)
        application.router.add_get("/", self._front)
        self._runner = web.AppRunner(application, access_log=None, handle_signals=False, shutdown_timeout=_GRACE_S)

    async def __aenter__(self) -> Self:
        """Begin to listen."""
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._host, self.port).start()
        except OSError as error:
            await self._runner.cleanup()
            message = f"{self._host}:{self.port} cannot be listened on: {error.strerror or error}"
            raise UsageError(
                message, hint="name another port or an address of this machine: --listen HOST:PORT"
            ) from error
        self.port = next(int(address[1]) for address in self._runner.addresses)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop listening."""
        await self._runner.cleanup()

    async def _metrics(self, _: web.Request) -> web.Response:
        return web.Response(body=self.text.encode(), headers={"Content-Type": self._type, "Cache-Control": "no-store"})

    async def _front(self, _: web.Request) -> web.Response:
        return web.Response(text=_PAGE)
