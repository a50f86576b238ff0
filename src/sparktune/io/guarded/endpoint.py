"""An endpoint that is asked every two seconds whether it answers, beside whatever load there is."""

__all__ = ["ask_endpoint"]

import asyncio
import time
from collections.abc import Callable
from typing import Final

from sparktune.errors import EndpointError
from sparktune.io.http.address import Address
from sparktune.io.http.client import Client
from sparktune.model.guard import LoadTick
from sparktune.units import Nanoseconds, Seconds, seconds_between

_EVERY_S: Final[Seconds] = 2.0
_PATH: Final = "/health"  # any answer is one, also that there is no such route


async def ask_endpoint(address: Address, tell: Callable[[LoadTick], None]) -> None:
    """Call ``tell`` with for how long it has not answered, until cancelled; before its first answer with None."""
    last: Nanoseconds | None = None
    async with Client(address) as client:
        while True:
            asked = time.monotonic_ns()
            try:
                await client.get(_PATH, timeout_s=_EVERY_S)
                last = time.monotonic_ns()
            except EndpointError:
                pass  # for how long is what is told
            now = time.monotonic_ns()
            silent = None if last is None else max(0.0, seconds_between(last, now))
            tell(LoadTick(monotonic_ns=now, unanswered_s=silent))
            await asyncio.sleep(max(0.0, _EVERY_S - seconds_between(asked, now)))
