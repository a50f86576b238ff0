"""Whether somebody answers at a server's address, and who."""

__all__ = ["answers", "owner_of", "wait_free"]

import asyncio
import time
from contextlib import suppress
from typing import Final

from sparktune.io.http.address import Address
from sparktune.io.launching.proc import all_seen, listening_pids, look_at
from sparktune.io.time_limit import time_limit
from sparktune.units import Seconds

_CONNECT_S: Final[Seconds] = 3.0
_LOOK_S: Final[Seconds] = 0.05


async def answers(address: Address) -> bool:
    """Tell whether somebody takes a connection there."""
    try:
        async with time_limit(_CONNECT_S):
            _reader, writer = await asyncio.open_connection(address.target.host, address.target.port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return True


async def wait_free(address: Address, limit_s: Seconds) -> bool:
    """Wait until nobody answers; tell whether it came to that."""
    until = time.monotonic() + limit_s
    while await answers(address):
        if time.monotonic() > until:
            return False
        await asyncio.sleep(_LOOK_S)
    return True


def owner_of(address: Address) -> str:
    """Return which process of this machine listens there, as a remark in parentheses; "" where that cannot be seen."""
    seen = [look_at(pid) for pid in listening_pids(address.target.port, all_seen())]
    names = [f"pid {one.pid}, {one.name}" for one in seen if one is not None]
    return f" ({'; '.join(names)})" if names else ""
