"""A limit on how long something is waited for, which also holds while a task that was cancelled cleans up.

``asyncio.timeout`` of Python 3.11.0 to 3.11.2 (Debian 12 has 3.11.2) takes the cancellation that came before it for one
that came within: what runs out there raises CancelledError, and what was to follow, such as a SIGKILL, never does.
Source: https://github.com/python/cpython/issues/102780
"""

__all__ = ["time_limit"]

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sparktune.units import Seconds


@asynccontextmanager
async def time_limit(limit_s: Seconds) -> AsyncIterator[None]:
    """Raise TimeoutError when the block takes longer; CancelledError only for a cancellation from outside."""
    task = asyncio.current_task()
    before = task.cancelling() if task else 0
    timer = asyncio.timeout(limit_s)  # noqa: TID251 - here it is made to hold
    try:
        async with timer:
            yield
    except asyncio.CancelledError:
        if task is None or not timer.expired() or task.cancelling() > before:
            raise
        raise TimeoutError from None
